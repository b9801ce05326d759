-- A filter for a device: members are counted in parts of words, packed, and stored when the tiles before have said how many they have.
-- RUN dump --emit=device-imp
def main [n] (xs: [n]i32) : []i32 = filter (> 0) xs
