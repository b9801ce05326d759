-- SPDX-License-Identifier: Apache-2.0
def third (t: (i32, i32)) : i32 = t.2
