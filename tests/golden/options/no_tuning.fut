-- SPDX-License-Identifier: Apache-2.0
-- RUN test -i --no-tuning --param factor=2
-- The tuning file beside this program is not read, and what is typed counts.
-- ==
-- input { 10i64 } output { 20i64 }

def main (x: i64) : i64 = #[param(offset)] (x * #[param(factor)] 3)
