-- SPDX-License-Identifier: Apache-2.0
entry first 't (xs: []t) : t = xs[0]
