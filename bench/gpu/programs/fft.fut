-- SPDX-License-Identifier: Apache-2.0
-- The discrete Fourier transform of a power of two of complex numbers: one pass for each bit (Stockham).
entry fft [n] (re: [n]f32) (im: [n]f32) : ([n]f32, [n]f32) =
  let (re, im, _) =
    loop (re, im, half) = (copy re, copy im, 1) while half < n do
      let point j =
        let k = j % half
        let from = (j / (2 * half)) * half + k
        let angle = -f32.pi * f32.i64 k / f32.i64 half
        let (c, s) = (f32.cos angle, f32.sin angle)
        let (a, b) = (from, from + n / 2)
        let (x, y) = (re[b] * c - im[b] * s, re[b] * s + im[b] * c)
        in if (j / half) % 2 == 0 then (re[a] + x, im[a] + y) else (re[a] - x, im[a] - y)
      let (re, im) = unzip (tabulate n point)
      in (re, im, 2 * half)
  in (re, im)
