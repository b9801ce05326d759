-- SPDX-License-Identifier: Apache-2.0
-- Nothing but the update says what r is.
def main = (\r -> r with x = 1i32)
