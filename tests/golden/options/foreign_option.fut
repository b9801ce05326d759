-- SPDX-License-Identifier: Apache-2.0
-- RUN test --pass-option=-dGPU
-- An option of other test runners that we do not have says so.
def main (x: i32) = x + 1
