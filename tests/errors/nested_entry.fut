-- SPDX-License-Identifier: Apache-2.0
module m = { entry f (x: i32) = x }
