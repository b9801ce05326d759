-- SPDX-License-Identifier: Apache-2.0
-- A number of loops that is none.
def main (n: i64) = (#[stripmine(0)] loop x = 0i64 for i < n do x + i) + #[stripmine] loop x = 0i64 for i < n do x * i
