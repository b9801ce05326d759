-- SPDX-License-Identifier: Apache-2.0
-- RUN check --diagnostics=json
def f [n] (a: [n]f32) (b: [3]f32) =
  let x = map2 (+) a [1, 2]
  in (map2 (*) x b, zip b [true, false])
