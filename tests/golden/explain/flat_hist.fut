-- RUN dump --stage=soacs --renumber --explain=fusion
-- a histogram of flattened rows is not part of the nest that makes them where others need the rows, where the nest
-- reads what the histogram updates, or where rows are made by more than maps
def bin (x: i32) (k: i64) = i64.i32 x + k

entry both [n] (xs: [n]i32) : ([20]i32, [n][4]i64) =
  let at = map (\x -> tabulate 4 (bin x)) xs
  in (hist (+) 0 20 (flatten at) (replicate (n * 4) 1), at)

entry of_itself [n] (bins: *[20]i32) (xs: [n]i32) : [20]i32 =
  let at = map (\x -> tabulate 4 (\k -> bin x k + i64.i32 bins[k])) xs
  in reduce_by_index bins (+) 0 (flatten at) (replicate (n * 4) 1)

entry scanned [n] [m] (xss: [n][m]i32) : [20]i32 =
  hist (+) 0 20 (flatten (map (\xs -> map i64.i32 (scan (+) 0 xs)) xss)) (replicate (n * m) 1)
