-- SPDX-License-Identifier: Apache-2.0
-- RUN check --diagnostics=json
def f (x: i32) = ("日本語", x + true)
