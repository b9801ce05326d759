-- SPDX-License-Identifier: Apache-2.0
entry f [n] (xs: [n+1]i32) = xs
