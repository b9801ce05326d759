-- SPDX-License-Identifier: Apache-2.0
-- Imports are relative to the file that has them, and are not passed on.
import "../../helpers"

def product (x: i32) = x * next x
