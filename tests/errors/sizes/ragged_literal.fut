-- SPDX-License-Identifier: Apache-2.0
def m : [][]i32 = [[1, 2], [3]]
