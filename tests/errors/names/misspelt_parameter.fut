-- SPDX-License-Identifier: Apache-2.0
def area (width: f32) (height: f32) : f32 = widht * height
