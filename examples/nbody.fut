-- SPDX-License-Identifier: Apache-2.0
-- Bodies that attract each other: every body feels every other one.
--
--   echo '[0f64, 1f64] [0f64, 0f64] [1f64, 1f64] 0.1 1' | ./skald-dev run examples/nbody.fut
--
-- In the plane, with gravitational constant 1.  A small constant keeps close bodies from flying apart.
-- ==
-- "two bodies move towards each other" input { [-1f64, 1f64] [0f64, 0f64] [4f64, 4f64] 0.5f64 1i32 }
-- output { [-0.75f64, 0.75f64] [0f64, 0f64] }
-- "a body alone stays" input { [3f64] [4f64] [1f64] 0.1f64 10i32 } output { [3f64] [4f64] }
-- "heavy and light" input { [0f64, 2f64] [0f64, 0f64] [8f64, 0f64] 0.25f64 1i32 } output { [0f64, 1.875f64] [0f64, 0f64] }
type vec = {x: f64, y: f64}
type body = {position: vec, velocity: vec, mass: f64}

def softening : f64 = 1e-9

def plus (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y}
def minus (a: vec) (b: vec) : vec = {x = a.x - b.x, y = a.y - b.y}
def times (k: f64) (a: vec) : vec = {x = k * a.x, y = k * a.y}

-- The acceleration that `other` causes at `here`.
def pull (here: vec) (other: body) : vec =
  let d = other.position `minus` here
  let r2 = d.x * d.x + d.y * d.y + softening
  in times (other.mass / (r2 * f64.sqrt r2)) d

def step [n] (dt: f64) (bodies: [n]body) : [n]body =
  map (\(b: body) ->
         let acceleration = reduce plus {x = 0, y = 0} (map (pull b.position) bodies)
         let velocity = b.velocity `plus` times dt acceleration
         in b with velocity = velocity with position = (b.position `plus` times dt velocity))
      bodies

def main [n] (xs: [n]f64) (ys: [n]f64) (masses: [n]f64) (dt: f64) (steps: i32) : ([n]f64, [n]f64) =
  let start = map3 (\x y mass -> {position = {x, y}, velocity = {x = 0, y = 0}, mass}) xs ys masses
  let end = loop bodies = start for _i < steps do step dt bodies
  in unzip (map (\b -> (b.position.x, b.position.y)) end)
