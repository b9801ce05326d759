-- SPDX-License-Identifier: Apache-2.0
-- How often the loop runs is not known.
-- RUN dump --stage=soacs
def main (n: i64) = #[unroll] loop x = 0i64 for i < n do x + i
