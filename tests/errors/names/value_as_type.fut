-- SPDX-License-Identifier: Apache-2.0
def width = 3i64
def f (x: width) = x
