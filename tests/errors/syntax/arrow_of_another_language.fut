-- SPDX-License-Identifier: Apache-2.0
def f = map (\x => x + 1)
