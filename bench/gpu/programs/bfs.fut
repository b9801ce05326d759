-- SPDX-License-Identifier: Apache-2.0
-- How far each node of a graph is from node 0: a round for each distance, in which the nodes found last look at their
-- neighbours.
entry bfs [m] (nodes: i64) (degree: i64) (edges: [m]i32) : [nodes]i32 =
  let start = tabulate nodes (\i -> if i == 0 then 0 else -1)
  let (distances, _, _) =
    loop (distances, front, round) = (start, [0i64], 1i32) while length front > 0 do
      let found = flatten (map (\v -> tabulate degree (\e -> i64.i32 edges[v * degree + e])) front)
      let fresh = filter (\v -> distances[v] < 0) found
      -- The same node may be found several times: the last one counts.
      let owners = hist i64.max (-1) nodes fresh (indices fresh)
      let next = map (.0) (filter (\(v, k) -> owners[v] == k) (zip fresh (indices fresh)))
      in (scatter distances next (map (const round) next), next, round + 1)
  in distances
