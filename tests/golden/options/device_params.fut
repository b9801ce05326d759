-- RUN dump --params --device=gpu
-- what a device has is listed beside what a run can choose
def main [n] [m] (xss: [n][m]f32) = map f32.sum xss
