-- RUN     run --backend=cpu --disable=avx512
-- NEEDS   cpu
-- WHY     On machines that never had AVX-512 there is nothing to leave out, and LLVM has nothing to say about it.
def main = reduce (+) 0 (map (\i -> i * i) (iota 1000))
