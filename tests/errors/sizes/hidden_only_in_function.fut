-- SPDX-License-Identifier: Apache-2.0
-- Nothing of the type tells the size.
type^ callback = []i32 -> i32
