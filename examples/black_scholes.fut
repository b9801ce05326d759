-- SPDX-License-Identifier: Apache-2.0
-- Prices of European call and put options by the Black-Scholes formula.
--
--   echo '[100f64] [100f64] [1f64] 0.05 0.2' | ./skald-dev run examples/black_scholes.fut
--
-- Arguments: spot prices, strike prices, years left; then interest rate and volatility for all.
-- ==
-- input { [100f64] [100f64] [1f64] 0.05f64 0.2f64 } output { [10.450583572185565f64] [5.573526022256971f64] }
-- "worthless and certain" input { [1f64, 1000f64] [1000f64, 1f64] [0.5f64, 0.5f64] 0f64 0.1f64 }
-- output { [0f64, 999f64] [999f64, 0f64] }
-- input { empty([0]f64) empty([0]f64) empty([0]f64) 0.05f64 0.2f64 } output { empty([0]f64) empty([0]f64) }

-- The cumulative normal distribution.
def cnd (x: f64) : f64 = 0.5 * f64.erfc (-x / f64.sqrt 2)

def price (rate: f64) (volatility: f64) (spot: f64) (strike: f64) (years: f64) : (f64, f64) =
  let spread = volatility * f64.sqrt years
  let d1 = (f64.log (spot / strike) + (rate + volatility * volatility / 2) * years) / spread
  let d2 = d1 - spread
  let discounted = strike * f64.exp (-rate * years)
  let call = spot * cnd d1 - discounted * cnd d2
  let put = discounted * cnd (-d2) - spot * cnd (-d1)
  in (call, put)

def main [n] (spots: [n]f64) (strikes: [n]f64) (years: [n]f64) (rate: f64) (volatility: f64) : ([n]f64, [n]f64) =
  unzip (map3 (price rate volatility) spots strikes years)

-- Calls and puts fit together: call - put is the spot price less the discounted strike price.
-- ==
-- entry: parity
-- input { 200i64 } output { true }
-- compiled input { 100000i64 } output { true }
entry parity (n: i64) : bool =
  let spots = map (\i -> 50 + f64.i64 (i % 100)) (iota n)
  let (calls, puts) = main spots (replicate n 100) (replicate n 0.75) 0.03 0.25
  let expected = map (\s -> s - 100 * f64.exp (-0.03 * 0.75)) spots
  in and (map3 (\c p e -> f64.abs (c - p - e) < 1e-9) calls puts expected)
