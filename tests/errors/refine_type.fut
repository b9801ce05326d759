-- SPDX-License-Identifier: Apache-2.0
module type a = { type t = i32 }
module type b = a with t = f32
