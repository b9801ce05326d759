-- RUN dump --stage=soacs --renumber --explain=fusion
-- rule 5: the order of rows counts for an operator that does not commute, and for two arrays in different orders
entry commutes [n] (xs: [n]i64) = reduce (\a b -> if b == 0 then a else b) 0 (reverse xs)
entry orders [n] (xs: [n]i64) (ys: [n]i64) = i64.sum (map2 (*) xs (reverse ys))
