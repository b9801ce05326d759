-- SPDX-License-Identifier: Apache-2.0
-- NEEDS   cpu
-- RUN dump --after=forks --disable=caches
-- Of two rows four are loaded instead of six, where the torus does not go around.
def main [n] [m] (a: [n][m]u8) : [n][m]u8 =
  map3 (map3 (\up here down -> up + 2 * here - down)) (rotate (-1) a) a (rotate 1 a)
