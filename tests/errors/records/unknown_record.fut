-- SPDX-License-Identifier: Apache-2.0
def norm p = p.x * p.x + p.y * p.y
