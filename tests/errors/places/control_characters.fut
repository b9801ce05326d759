-- SPDX-License-Identifier: Apache-2.0
-- [31m red ‮
def f (x: i32) = /* [2J */ x + true
