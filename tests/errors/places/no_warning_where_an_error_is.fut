-- SPDX-License-Identifier: Apache-2.0
def f (xs: []u8) : bool = xs == [300]
