-- SPDX-License-Identifier: Apache-2.0
entry f 'a (x: a) = x
