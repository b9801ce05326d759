def f (x: i32) = x
def f (x: f32) = x
