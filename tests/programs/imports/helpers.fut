-- SPDX-License-Identifier: Apache-2.0
-- Imported by uses_files.fut.
def square (x: i32) = x * x
def next (x: i32) = x + 1
