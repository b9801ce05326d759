-- RUN run --backend=interp
-- Names and values stand where the program fails; callers have names too.
def at (rows: [][]f32) (k: i64) = rows[k + 1, k]

def total (rows: [][]f32) =
  loop sum = 0 for k < 3 do
    let shifted j = at rows (k + j)
    in sum + shifted 1

entry main = total [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
