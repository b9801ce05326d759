-- SPDX-License-Identifier: Apache-2.0
-- RUN run --backend=opencl --stage=kernels
-- Other back ends take a program all the way.
def main (x: i32) = x + 1
