-- SPDX-License-Identifier: Apache-2.0
-- A function that calls itself with what is differentiated.
-- RUN dump --stage=soacs
def power (x: f64) (n: i64) : f64 = if n == 0 then 1 else x * power x (n - 1)
def main (x: f64) (n: i64) = vjp (\x -> power x n) x 1
