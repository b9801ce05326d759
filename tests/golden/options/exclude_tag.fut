-- SPDX-License-Identifier: Apache-2.0
-- RUN test -i --exclude huge
-- One case is left out by its tag, one runs.
-- ==
-- huge input { 1 } output { 3 }
-- input { 2 } output { 3 }

def main (x: i32) = x + 1
