-- SPDX-License-Identifier: Apache-2.0
-- RUN test -t
-- With -t a program is not run, so the wrong expectation does not matter.
-- ==
-- input { 1 } output { 3 }

def main (x: i32) = x + 1
