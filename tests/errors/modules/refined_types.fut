-- SPDX-License-Identifier: Apache-2.0
-- Types that cannot be refined.
module type num = { type t type u = i32 val add : t -> t -> u }
module type a = num with u = i64
module type b = num with v = i32
module type c = num with t 'x = i32
