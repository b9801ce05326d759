-- SPDX-License-Identifier: Apache-2.0
-- RUN test -C -i
-- ==
-- input { 1 } output { 3 }

def main (x: i32) = x + 1
