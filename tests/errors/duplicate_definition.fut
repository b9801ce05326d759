-- SPDX-License-Identifier: Apache-2.0
def x = 1i32
def x = 2i32
