-- RUN dump --stage=kernels --renumber --explain=fuse-kernels
-- rule 2: a costly map is not computed again at every place
def main [n] (xs: [n]f32) : [n]f32 = let ys = map (\x -> f32.exp x + f32.sin x) xs in map (\i -> ys[i] + ys[(i + 1) % n] + ys[(i + 2) % n]) (iota n)
