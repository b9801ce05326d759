-- RUN run --backend=interp
-- The place, and the calls that led there.
def get (xs: []i32) (i: i64) = xs[i]

def middle (xs: []i32) =
  get xs (length xs)

entry main =
  map (\k -> middle (iota k |> map i32.i64)) (iota 3)
