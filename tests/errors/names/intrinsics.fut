-- SPDX-License-Identifier: Apache-2.0
-- Meant for the prelude.
def main (xs: [3]i32) = intrinsics.transpose [xs]
