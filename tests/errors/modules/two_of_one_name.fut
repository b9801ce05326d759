-- SPDX-License-Identifier: Apache-2.0
-- A file defines a module once.
module m = { def x = 1i32 }
module m = { def x = 2i32 }
def main = m.x
