-- SPDX-License-Identifier: Apache-2.0
def three : [3]i32 = [1, 2, 3, 4]
