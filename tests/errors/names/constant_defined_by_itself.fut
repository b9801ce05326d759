-- SPDX-License-Identifier: Apache-2.0
def x : i32 = x + 1
