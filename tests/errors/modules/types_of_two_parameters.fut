-- SPDX-License-Identifier: Apache-2.0
-- Both are called t.
module type s = { type t val f : t -> t }
module both (x: s) (y: s) = { def g (v: x.t) = y.f v }
