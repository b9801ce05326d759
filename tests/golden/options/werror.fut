-- SPDX-License-Identifier: Apache-2.0
-- RUN check --Werror
-- A warning, and with --Werror a failure.
def main (xs: []i32) = xs == xs
