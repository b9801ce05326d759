-- RUN dump --stage=soacs --device=gpu --renumber --explain=fusion
-- What follows a scan in the same pass, or runs under a filter's guard, is code of one point: on devices a nest would lose its own parallelism.  One of three
-- points is as good as a loop.
entry sums [n][m] (lengths: [n]i64) (xs: [m]f64): [n]f64 =
  let ends = scan (+) 0 lengths
  in map2 (\end length -> f64.sum xs[end - length:end]) ends lengths

entry kept [n][m] (rows: [n][m]f64) (xs: [n]f64): []f64 =
  map (\i -> f64.sum (map (* xs[i]) rows[i])) (filter (\i -> xs[i] > 0) (iota n))

entry few [n] (xs: [n]i64): [n]i64 =
  map (\x -> i64.sum (tabulate 3 (\i -> x ** i))) (scan (+) 0 xs)
