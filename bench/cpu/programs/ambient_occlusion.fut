-- SPDX-License-Identifier: Apache-2.0
-- Three spheres on a plane; how much of the sky each visible point sees.
type vec = {x: f32, y: f32, z: f32}
def dot (a: vec) (b: vec) : f32 = a.x * b.x + a.y * b.y + a.z * b.z
def add (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def sub (a: vec) (b: vec) : vec = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def scale (s: f32) (a: vec) : vec = {x = s * a.x, y = s * a.y, z = s * a.z}
def cross (a: vec) (b: vec) : vec =
  {x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x}
def normalise (a: vec) : vec = scale (1 / f32.sqrt (dot a a)) a

def hash (x: u32) : u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)
def uniform (x: u32) : f32 = f32.u32 (hash x >> 8) / 16777216

def far : f32 = 1e30
def spheres : [3](vec, f32) =
  [({x = -2, y = 0, z = -3.5}, 0.5), ({x = -0.5, y = 0, z = -3}, 0.5), ({x = 1, y = 0, z = -2.2}, 0.5)]

def hit_sphere (o: vec) (d: vec) (c: vec, r: f32) : f32 =
  let rs = sub o c
  let b = dot rs d
  let disc = b * b - (dot rs rs - r * r)
  let t = -b - f32.sqrt (f32.max 0 disc)
  in if disc > 0 && t > 0 then t else far

def hit_plane (o: vec) (d: vec) : f32 =
  let t = -(o.y + 0.5) / d.y
  in if f32.abs d.y > 1e-6 && t > 0 then t else far

def occluded (o: vec) (d: vec) : bool =
  hit_sphere o d spheres[0] < far || hit_sphere o d spheres[1] < far || hit_sphere o d spheres[2] < far
  || hit_plane o d < far

def shade (samples: i32) (pixel: u32) (o: vec) (d: vec) : f32 =
  let (t0, t1, t2) = (hit_sphere o d spheres[0], hit_sphere o d spheres[1], hit_sphere o d spheres[2])
  let tp = hit_plane o d
  let t = f32.min (f32.min t0 t1) (f32.min t2 tp)
  in if t >= far then 0
     else let p = add o (scale t d)
          let n = if t == tp then {x = 0, y = 1, z = 0}
                  else if t == t0 then normalise (sub p spheres[0].0)
                  else if t == t1 then normalise (sub p spheres[1].0)
                  else normalise (sub p spheres[2].0)
          let p = add p (scale 0.001 n)
          let up: vec = if f32.abs n.x < 0.6 then {x = 1, y = 0, z = 0} else {x = 0, y = 1, z = 0}
          let u = normalise (cross up n)
          let v = cross n u
          let free =
            loop free = 0i32 for k < samples do
              let seed = (pixel * u32.i32 samples + u32.i32 k) * 2
              let theta = f32.sqrt (uniform seed)
              let phi = 6.2831853 * uniform (seed + 1)
              let (x, y) = (f32.cos phi * theta, f32.sin phi * theta)
              let z = f32.sqrt (f32.max 0 (1 - theta * theta))
              let ray = add (add (scale x u) (scale y v)) (scale z n)
              in if occluded p ray then free else free + 1
          in f32.i32 free / f32.i32 samples

def main (width: i64) (height: i64) (samples: i32) : [height][width]f32 =
  map (\y ->
         map (\x ->
                let px = (f32.i64 x - f32.i64 width / 2) / (f32.i64 width / 2)
                let py = (f32.i64 height / 2 - f32.i64 y) / (f32.i64 height / 2)
                in shade samples (u32.i64 (y * width + x)) {x = 0, y = 0, z = 0}
                         (normalise {x = px, y = py, z = -1}))
             (iota width))
      (iota height)
