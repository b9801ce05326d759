-- SPDX-License-Identifier: Apache-2.0
def r = {x = 1i32, x = 2i32}
