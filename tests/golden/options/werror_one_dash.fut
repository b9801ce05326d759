-- SPDX-License-Identifier: Apache-2.0
-- RUN check -Werror
def main (xs: []i32) = xs == xs
