-- SPDX-License-Identifier: Apache-2.0
type colour = #red | #green | #blue
def name (c: colour) : i32 = match c case #red -> 0 case #gren -> 1 case #blue -> 2
