-- SPDX-License-Identifier: Apache-2.0
def twice (x: int) : int = 2 * x
