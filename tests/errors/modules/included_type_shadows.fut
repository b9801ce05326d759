-- SPDX-License-Identifier: Apache-2.0
-- Both module types have a type t.
module type a = { type t val x : t }
module type b = { type t include a }
