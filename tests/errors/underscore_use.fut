-- SPDX-License-Identifier: Apache-2.0
def f (_x: i32) = _x
