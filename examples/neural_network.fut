-- SPDX-License-Identifier: Apache-2.0
-- A network with one hidden layer learns "exclusive or" by gradient descent.
--
--   echo '2000i64' | ./skald-dev run examples/neural_network.fut
--
-- Argument: the number of steps.  Results: what it answers to (0,0), (0,1), (1,0), (1,1), rounded.
-- ==
-- input { 2000i64 } output { [0f64, 1f64, 1f64, 0f64] }

type network [k] = {weights: [k][2]f64, biases: [k]f64, outer: [k]f64, bias: f64}

def apply [k] (net: network [k]) (input: [2]f64) : f64 =
  let hidden =
    map2 (\row bias -> f64.tanh (f64.sum (map2 (*) row input) + bias)) net.weights net.biases
  let sum = f64.sum (map2 (*) net.outer hidden) + net.bias
  in 1 / (1 + f64.exp (-sum))

def inputs : [4][2]f64 = [[0, 0], [0, 1], [1, 0], [1, 1]]
def wanted : [4]f64 = [0, 1, 1, 0]

def loss [k] (net: network [k]) : f64 =
  f64.sum (map2 (\input y -> (apply net input - y) ** 2) inputs wanted)

def step [k] (rate: f64) (net: network [k]) : network [k] =
  let by = vjp loss net 1
  let move x d = x - rate * d
  in { weights = map2 (map2 move) net.weights by.weights
     , biases = map2 move net.biases by.biases
     , outer = map2 move net.outer by.outer
     , bias = move net.bias by.bias
     }

def main (steps: i64) : [4]f64 =
  let start : network [4] =
    { weights = [[0.6, -0.8], [-0.5, 0.9], [0.3, 0.4], [-0.7, -0.2]]
    , biases = [0.1, -0.2, 0.3, 0.05]
    , outer = [0.5, 0.4, -0.6, 0.3]
    , bias = 0
    }
  let net = loop net = start for _i < steps do step 0.5 net
  in map (\input -> f64.round (apply net input)) inputs
