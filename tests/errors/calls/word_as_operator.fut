-- SPDX-License-Identifier: Apache-2.0
def between (x: i32) : bool = (x > 1) and (x < 5)
