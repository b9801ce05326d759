-- SPDX-License-Identifier: Apache-2.0
-- | Automatic differentiation.

def jvp2 'a 'b (f: a -> b) (x: a) (x': a): (b, b) = intrinsics.jvp2 f x x'
def vjp2 'a 'b (f: a -> b) (x: a) (y': b): (b, a) = intrinsics.vjp2 f x y'
def jvp 'a 'b (f: a -> b) (x: a) (x': a): b = (jvp2 f x x').1
def vjp 'a 'b (f: a -> b) (x: a) (y': b): a = (vjp2 f x y').1
def jmp2 'a 'b [n] (f: a -> b) (x: a) (x': [n]a): (b, [n]b) = intrinsics.jmp2 f x x'
def mjp2 'a 'b [n] (f: a -> b) (x: a) (y': [n]b): (b, [n]a) = intrinsics.mjp2 f x y'
def jmp 'a 'b [n] (f: a -> b) (x: a) (x': [n]a): [n]b = (jmp2 f x x').1
def mjp 'a 'b [n] (f: a -> b) (x: a) (y': [n]b): [n]a = (mjp2 f x y').1
def with_vjp 'a 'b (f: a -> b) (f': (res: b) -> (b_adj: b) -> a) (x: a): b = intrinsics.with_vjp f f' x
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (f': (c, b) -> a) (x: a): b =
  (with_vjp f (\(tape, _) (_, adjoint) -> f' (tape, adjoint)) x).1
