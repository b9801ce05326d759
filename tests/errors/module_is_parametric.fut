-- SPDX-License-Identifier: Apache-2.0
module f (p: { type t }) = { }
open f
