-- SPDX-License-Identifier: Apache-2.0
-- The step is zero.
def main = 1..1...10
