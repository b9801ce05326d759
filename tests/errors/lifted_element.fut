-- SPDX-License-Identifier: Apache-2.0
def fs : [1](i32 -> i32) = [\x -> x]
