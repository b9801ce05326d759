-- SPDX-License-Identifier: Apache-2.0
-- A module inside of the module, or its type.
module type m = { module inner : { type t val x : t } }
module a : m = { module inner = { def x = 3i32 } }
module b : m = { def y = 3i64 }
