-- SPDX-License-Identifier: Apache-2.0
-- Two results that are both promised to be nobody else's.
def main (xs: *[3]i32) : (*[3]i32, *[3]i32) = (xs, xs)
