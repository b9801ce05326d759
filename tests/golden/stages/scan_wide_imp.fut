-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=simd256 --disable=stream --disable=caches
-- Where registers hold eight integers of 64 bits, these are scanned in registers too.
def main (xs: []i32) : []i64 = scan (+) 0 (map i64.i32 xs)
