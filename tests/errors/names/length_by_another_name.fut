-- SPDX-License-Identifier: Apache-2.0
def mean (xs: []f64) : f64 = f64.sum xs / f64.i64 (len xs)
