-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --emit=device-imp --renumber --explain=lowering
-- A thread has sixteen neighbouring bytes, where these and what it gives are aligned.
entry main [n] (xs: [n]u8) : [n]u8 = map (\x -> x / 2) xs
