-- A sequential loop over arrays runs on one thread of the device; one with a parallel body stays on the host.
-- RUN dump --emit=device-imp --disable=group-loops
entry running [n] (xs: [n]i32) : ([n]i32, i32) =
  loop (out, acc) = (replicate n 0, 0) for i < n do
    let acc = if xs[i] > 0 then acc + xs[i] else 0
    in (out with [i] = acc, acc)

entry rounds [n] (k: i64) (xs: [n]i32) : [n]i32 =
  loop xs for _i < k do map (+ xs[0]) xs
