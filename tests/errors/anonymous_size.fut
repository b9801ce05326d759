-- SPDX-License-Identifier: Apache-2.0
module type m = { val f : []i32 -> i32 }
