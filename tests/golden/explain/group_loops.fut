-- RUN dump --device=gpu --after=flatten --explain=flatten --stats
-- Why loops stay on the host.
def big (x: f32) : f32 = loop x for i < 1000i32 do f32.sqrt (x + f32.i32 i)
entry costly [n] (xs: [n]f32): [n]f32 = loop xs for _i < 10i32 do map big xs
entry growing (xs: []i32): []i32 = loop xs for i < 10i32 do map (+ i) (xs ++ xs)
entry filtered (xs: []i32): []i32 = loop xs for i < 10i32 do filter (> i) xs
