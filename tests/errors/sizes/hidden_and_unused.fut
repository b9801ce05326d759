-- SPDX-License-Identifier: Apache-2.0
-- A size that no array inside of the type has.
type~ callback = [] i32 -> i32
type~ hidden = ?[n]. ([n]i32 -> i32)
