-- RUN dump --stage=kernels
-- the function for one thread has the nest as it is written, and asks for no threshold
def rows [k] (xs: [k]i64) (depth: i64): i64 =
  if depth == 0 then k
  else i64.sum (map (\i -> let s = i64.sum (map (* i) xs) in rows (filter (> s) xs) (depth - 1)) (iota depth))
entry main [k] (xs: [k]i64) (n: i64): [n]i64 = map (rows xs) (iota n)
