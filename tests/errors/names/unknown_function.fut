def main (xs: []i32) : []i32 = mapp (+ 1) xs
