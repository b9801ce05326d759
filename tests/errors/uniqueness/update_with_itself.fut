-- SPDX-License-Identifier: Apache-2.0
-- The new row is part of the array that is being changed.
def main (xss: *[3][3]i32) = xss with [0] = xss[1]
