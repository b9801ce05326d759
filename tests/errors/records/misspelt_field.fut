-- SPDX-License-Identifier: Apache-2.0
type person = {age: i32, heigth: f32}
def tall (p: person) : bool = p.height > 2
