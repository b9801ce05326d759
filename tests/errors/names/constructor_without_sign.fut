-- SPDX-License-Identifier: Apache-2.0
type t = #red | #green
def f : t = Red
