-- SPDX-License-Identifier: Apache-2.0
-- Everybody sees a top-level value.
def table : *[3]i32 = [1, 2, 3]
