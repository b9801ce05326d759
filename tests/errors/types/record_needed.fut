-- SPDX-License-Identifier: Apache-2.0
-- A number has no fields; neither place alone is wrong.
def same 'a (x: a) (_: a) = x
def main = same (\r -> r.x + 1i32) (\n -> n + 1i32)
