-- SPDX-License-Identifier: Apache-2.0
-- The same kernels with and without their checks.
entry gather [n] [m] (xs: [n]f32) (is: [m]i64) : [m]f32 = map (\i -> xs[i]) is
entry gather_unchecked [n] [m] (xs: [n]f32) (is: [m]i64) : [m]f32 = map (\i -> #[unsafe] xs[i]) is

entry divide [n] [m] (_xs: [n]f32) (is: [m]i64) : [m]i64 = map (\i -> (i + 1000) / (i + 1)) is
entry divide_unchecked [n] [m] (_xs: [n]f32) (is: [m]i64) : [m]i64 = map (\i -> #[unsafe] ((i + 1000) / (i + 1))) is

entry window [n] [m] (xs: [n]f32) (is: [m]i64) : [m]f32 =
  map (\i -> xs[i] + xs[(i + 1) % n] + xs[(i + 2) % n] + xs[i / 2]) is
entry window_unchecked [n] [m] (xs: [n]f32) (is: [m]i64) : [m]f32 =
  map (\i -> #[unsafe] (xs[i] + xs[(i + 1) % n] + xs[(i + 2) % n] + xs[i / 2])) is
