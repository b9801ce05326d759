-- RUN build --backend=cpu --param fusion.registers=12 --param main.suff_outer_par_0=1
-- NEEDS   cpu
-- numbers of the device can be chosen for an object; thresholds are chosen when it runs
def main [n][m] (xss: [n][m]f32) : [n]f32 = map f32.sum xss
