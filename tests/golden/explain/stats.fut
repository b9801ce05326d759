-- RUN dump --stats
-- Kernels, bytes and arrays per entry point.
entry norm2 [n] (xs: [n]f64) : ([n]f64, [n]f64) =
  let a = f64.sum xs
  let b = f64.sum (filter (> 0) xs)
  in (map (/ a) xs, map (/ b) xs)

entry prefix [n] (xs: [n]i32) : i32 = i32.sum (scan (+) 0 xs)

entry steps [n] (k: i32) (xs: [n]f32) : [n]f32 =
  loop xs for _i < k do map (\x -> x / f32.maximum xs) xs

-- Written backwards: what the result is a view of is no intermediate array.
entry backwards [n] (xs: [n]i32) : [n]i32 = reverse (map (+ 1) xs)
