-- RUN dump --stats --explain=extract-kernels
-- which writes to accumulators are not lifted: rounds that overwrite each other, loops that carry
-- more, while loops, rows; what combines runs in chunks then, the rest in one thread
type~ acc 't = intrinsics.acc t

def main [n][k] (a: *[k]i32) (b: *[k]i32) (c: *[k]i32) (d: *[k][2]i32) (is: [n]i64) =
  (intrinsics.scatter_stream a
                             (\(acc: *acc ([]i32)) i ->
                                loop acc for j < 9i64 do intrinsics.acc_write acc i (i32.i64 j))
                             is,
   intrinsics.hist_stream b
                          (+)
                          0
                          (\(acc: *acc ([]i32)) i ->
                             (loop (acc, i) for _j < 9i64 do (intrinsics.acc_write acc i 1, i * 3)).0)
                          is,
   intrinsics.hist_stream c
                          (+)
                          0
                          (\(acc: *acc ([]i32)) i ->
                             (loop (acc, i) while i > 0 do (intrinsics.acc_write acc i 1, i / 2)).0)
                          is,
   intrinsics.scatter_stream d
                             (\(acc: *acc ([][2]i32)) i ->
                                intrinsics.acc_write (intrinsics.acc_write acc i [1, 2]) (i + 1) [3, 4])
                             is)
