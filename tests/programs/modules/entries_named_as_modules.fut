-- SPDX-License-Identifier: Apache-2.0
-- An entry point sees what is declared above it: a module of its own name, or of one further down.
-- ==
-- entry: early f64
-- input { 3 } output { 3f64 }
-- ==
-- entry: i32
-- input { 2.5f64 } output { 2 }

entry early (x: i32) : f64 = f64.i32 x

entry f64 (x: i32) : f64 = f64.i32 x

entry i32 (x: f64) : i32 = i32.f64 x
