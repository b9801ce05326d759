-- RUN dump --renumber --stage=soacs --disable=signs
-- Without the rules for signs a difference stays a sum.
def main (a: f32) (x: f32) : f32 = a + f32.neg x
