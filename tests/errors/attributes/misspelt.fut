-- SPDX-License-Identifier: Apache-2.0
def sum (xs: []i32) = #[sequental] reduce (+) 0 xs
