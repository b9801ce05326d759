-- SPDX-License-Identifier: Apache-2.0
-- Bundle adjustment: where cameras see points, against where they were observed.  A camera is a rotation (a
-- vector), a position, a focal length, a centre and two numbers of radial distortion.

type vec = (f64, f64, f64)

def cross ((a, b, c): vec) ((x, y, z): vec) : vec = (b * z - c * y, c * x - a * z, a * y - b * x)
def dot3 ((a, b, c): vec) ((x, y, z): vec) : f64 = a * x + b * y + c * z

-- Rodrigues' formula.
def rotate (r: vec) (p: vec) : vec =
  let square = dot3 r r
  in if square == 0
     then let (a, b, c) = p let (x, y, z) = cross r p in (a + x, b + y, c + z)
     else let angle = f64.sqrt square
          let cosine = f64.cos angle
          let sine = f64.sin angle
          let w = (r.0 / angle, r.1 / angle, r.2 / angle)
          let (x, y, z) = cross w p
          let t = dot3 w p * (1 - cosine)
          in (p.0 * cosine + x * sine + w.0 * t, p.1 * cosine + y * sine + w.1 * t, p.2 * cosine + z * sine + w.2 * t)

def project (cam: [11]f64) (p: [3]f64) : (f64, f64) =
  let (x, y, z) = rotate (cam[0], cam[1], cam[2]) (p[0] - cam[3], p[1] - cam[4], p[2] - cam[5])
  let (u, v) = (x / z, y / z)
  let square = u * u + v * v
  let l = 1 + cam[9] * square + cam[10] * square * square
  in (u * l * cam[6] + cam[7], v * l * cam[6] + cam[8])

def residuals [n] [m] [o] (cams: [n][11]f64) (points: [m][3]f64) (weights: [o]f64) (obs: [o][2]i64) (feats: [o][2]f64) =
  unzip3 (map3 (\w ob feat ->
                  let (x, y) = project cams[ob[0]] points[ob[1]]
                  in (w * (x - feat[0]), w * (y - feat[1]), 1 - w * w))
               weights obs feats)

entry primal [n] [m] [o] (cams: [n][11]f64) (points: [m][3]f64) (weights: [o]f64) (obs: [o][2]i64) (feats: [o][2]f64) =
  residuals cams points weights obs feats

entry forward [n] [m] [o] (cams: [n][11]f64) (points: [m][3]f64) (weights: [o]f64) (obs: [o][2]i64) (feats: [o][2]f64) =
  jvp (\(c, p, w) -> residuals c p w obs feats) (cams, points, weights) (cams, points, weights)

entry reverse [n] [m] [o] (cams: [n][11]f64) (points: [m][3]f64) (weights: [o]f64) (obs: [o][2]i64) (feats: [o][2]f64) =
  vjp (\(c, p, w) -> residuals c p w obs feats) (cams, points, weights) (replicate o 1, replicate o 1, replicate o 1)
