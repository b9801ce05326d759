-- SPDX-License-Identifier: Apache-2.0
-- Nothing says which kind of number it is.
def main = 1 + 2
