-- SPDX-License-Identifier: Apache-2.0
-- | The prelude: what every file has in scope.  Definitions carry complete types, so that a program
-- pays only for those it uses.

open import "soacs"
open import "zip"
open import "array"
open import "functional"
open import "ad"
open import "math_types"
open import "integers"
open import "floats"

-- Old names.

def r32 (x: i32): f32 = f32.i32 x
def t32 (x: f32): i32 = i32.f32 x
def r64 (x: i32): f64 = f64.i32 x
def t64 (x: f64): i32 = i32.f64 x
def not (x: bool): bool = !x
def opaque 't (x: t): t = #[opaque] x
def trace 't (x: t): t = #[trace] x
def break 't (x: t): t = #[break] x
