-- SPDX-License-Identifier: Apache-2.0
-- import opens a file for this one alone; as a module it keeps its names apart.
-- ==
-- input { 5 } output { 25 6 30 }

import "helpers"
module again = import "helpers"
module library = import "lib/example/tools"

def main (x: i32) = (square x, again.next x, library.product x)
