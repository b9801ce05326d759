-- SPDX-License-Identifier: Apache-2.0
-- Automatic differentiation is checked, but not compiled yet; once is enough to say so.
-- RUN dump --stage=soacs
def square (x: f64) = x * x
def slope (x: f64) = vjp square x 1
def main (x: f64) = slope x + slope (x + 1)
