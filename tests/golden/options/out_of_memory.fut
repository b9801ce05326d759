-- RUN run --backend=cpu
-- NEEDS   cpu
-- more memory than there is: the message says where the array is made, and who asked for it
#[noinline]
def sums (n: i64) : [n]i64 = map (\x -> x * x) (scan (+) 0 (iota n))

def main : i64 = let xs = opaque (sums 1000000000000) in xs[7]
