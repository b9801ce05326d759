-- SPDX-License-Identifier: Apache-2.0
-- RUN test -i
-- Scripts with mistakes: every one is a failure with its reason.
-- ==
-- entry: f
-- script input { g 1 }
-- script input { f 1 2 }
-- script input { f true }
-- script input { (1, 2 }
-- script input { let (a, b) = pair 1 in c }
-- script input { let (a, b, c) = pair 1 in a }
-- script input { (pair 1).2 }
-- script input { [1, true] }
-- script input { let xs = [1, 2] in xs[2] }
-- script input { $loaddata "missing.in" }
-- script input { $loaddata "broken.in.gz" }
-- script input { $loadimg "x.png" }
-- script input { $nothing 1 }
-- script input { 300 }
-- script input { fails 1 }
-- script input @ missing.script

entry f (x: i8) : i8 = x
entry pair (x: i32) : (i32, i32) = (x, x)
entry fails (x: i32) : i8 = i8.i32 (x / 0)
