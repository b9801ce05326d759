-- SPDX-License-Identifier: Apache-2.0
-- Asked to warn where a check is needed.
-- RUN dump --stage=soacs
def main (xs: []i32) (i: i64) = #[warn(safety_checks)] xs[i]
