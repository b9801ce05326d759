-- SPDX-License-Identifier: Apache-2.0
def f (x: #a | #b) = match x case #a -> 1i32
