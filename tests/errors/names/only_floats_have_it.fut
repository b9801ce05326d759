-- SPDX-License-Identifier: Apache-2.0
def root (x: f64) : f64 = sqrt x
