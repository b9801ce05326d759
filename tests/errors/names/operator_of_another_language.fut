-- SPDX-License-Identifier: Apache-2.0
def differ (x: i32) (y: i32) : bool = x /= y
