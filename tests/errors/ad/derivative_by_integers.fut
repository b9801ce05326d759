-- A derivative by integers alone is no error, but hardly what is wanted; one by a float beside them is not worth a word.
def half (x: i32) = x * x / 2

entry by_integer (x: i32) : i32 = vjp half x 1
entry by_both (x: f64) (k: i32) : (f64, i32) = vjp (\(x, k) -> x * f64.i32 k) (x, k) 1
