-- SPDX-License-Identifier: Apache-2.0
-- A function without a known derivative, said once where it is written.
-- RUN dump --stage=soacs
def f (x: f64) = f64.sin (f64.gamma x) * x
def main (x: f64) = jvp f x 1 + vjp f x 1
