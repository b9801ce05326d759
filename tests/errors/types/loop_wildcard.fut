-- SPDX-License-Identifier: Apache-2.0
-- Without `=`, the initial value is the pattern itself.
def main (x: i32) = loop (_, y) for i < 3 do (x, y)
