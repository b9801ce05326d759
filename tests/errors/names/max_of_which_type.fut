-- SPDX-License-Identifier: Apache-2.0
def positive (x: i32) : i32 = max x 0
