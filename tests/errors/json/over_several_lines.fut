-- SPDX-License-Identifier: Apache-2.0
-- RUN check --diagnostics=json
def f (b: bool) : i32 =
  if b
  then 1.5
  else 2.5
