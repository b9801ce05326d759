-- SPDX-License-Identifier: Apache-2.0
type t = #a i32 | #a f32
