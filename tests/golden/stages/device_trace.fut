-- SPDX-License-Identifier: Apache-2.0
-- RUN dump --renumber --emit=device-imp
-- A kernel that prints runs on the host.
entry main (xs: []i32) = map (\x -> #[trace(seen)] (x + 1)) xs
