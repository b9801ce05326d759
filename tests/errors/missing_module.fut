-- SPDX-License-Identifier: Apache-2.0
module m : { module n : { } } = { }
