-- Each definition has its own mistake; all of them are reported in one run.
def first (x: i32) = x +
def second (x: i32) = if x > 0 then 1
def third (x: i32) = (x, 1
def fourth (x: i32) = x
