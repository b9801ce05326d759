-- SPDX-License-Identifier: Apache-2.0
-- RUN test -i --stage=memory --device=gpu --verify
-- What the interpreter runs at a later stage is compared with what it runs without any pass.
-- ==
-- random input { [10][3]i32 } auto output
-- input { [[1, 2], [3, 4]] } output { [3, 7] }

def main [n] [m] (xss: [n][m]i32) : [n]i32 = map i32.sum xss
