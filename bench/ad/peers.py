# SPDX-License-Identifier: Apache-2.0
"""The rows gmm, bundle, lstm and kmeans in JAX (compiled) and PyTorch (as it comes): times of values and gradients as JSON.

    peers.py ROW INPUTS RUNS            run.py calls it with an interpreter that has jax or torch
"""

import json
import math
import sys
import time

import numpy as np


def inputs_of(specs):
    made = []
    for k, spec in enumerate(specs):
        head, *dims = spec.replace("]", "").split("[")
        kind, _, below = head.partition("<")
        kind, _, most = kind.partition("~")
        shape = tuple(int(d) for d in dims)
        numbers = np.random.default_rng(k)
        if below:
            made.append(numbers.integers(0, int(below), shape))
        else:
            drawn = numbers.uniform(-float(most), float(most), shape) if most else numbers.random(shape)
            made.append(drawn.astype("float32" if kind == "f32" else "float64"))
    return made


# Formulas over a module `m` that has numpy's names, and what it calls differently in `x`.

def gmm(m, x, points, alphas, means, qs, ls):
    lower = x.tril(ls)
    diff = points[:, None, :] - means[None, :, :]
    y = m.exp(qs)[None] * diff + m.einsum("kij,nkj->nki", lower, diff)
    inner = alphas[None] + qs.sum(1)[None] - 0.5 * (y * y).sum(2)
    return x.logsumexp(inner, 1).sum() - points.shape[0] * x.logsumexp(alphas, 0)


def bundle(m, x, cams, points, weights, obs, feats):
    c, p = cams[obs[:, 0]], points[obs[:, 1]]
    r, v = c[:, 0:3], p - c[:, 3:6]
    angle = m.sqrt((r * r).sum(1))[:, None]
    w = r / angle
    cosine, sine = m.cos(angle), m.sin(angle)
    crossed = x.cross(w, v)
    z = v * cosine + crossed * sine + w * ((w * v).sum(1)[:, None] * (1 - cosine))
    u = z[:, 0:2] / z[:, 2:3]
    square = (u * u).sum(1)[:, None]
    seen = u * (1 + c[:, 9:10] * square + c[:, 10:11] * square * square) * c[:, 6:7] + c[:, 7:9]
    return (weights[:, None] * (seen - feats)).sum() + (1 - weights * weights).sum()


def lstm(m, x, xs, wx, wh, bias):
    hs = x.zeros(xs.shape[1], wx.shape[1])
    cs = hs
    total = 0.0
    for i in range(xs.shape[0]):
        gates = m.einsum("bd,ghd->gbh", xs[i], wx) + m.einsum("bk,ghk->gbh", hs, wh) + bias[:, None, :]
        cs = x.sigmoid(gates[1]) * cs + x.sigmoid(gates[0]) * m.tanh(gates[3])
        hs = x.sigmoid(gates[2]) * m.tanh(cs)
        total = total + hs.sum()
    return total


def kmeans(m, x, points, centres):
    square = (points * points).sum(1)[:, None] - 2 * points @ centres.T + (centres * centres).sum(1)[None]
    return x.smallest(square).sum()


# The formula, and which inputs it is differentiated by.
ROWS = {"gmm": (gmm, (1, 2, 3, 4)), "bundle": (bundle, (0, 1, 2)), "lstm": (lstm, (1, 2, 3)), "kmeans": (kmeans, (1,))}


def best(run, runs):
    run()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def jax_times(row, data, runs):
    import jax
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    class Names:
        tril = staticmethod(lambda a: jnp.tril(a, -1))
        logsumexp = staticmethod(lambda a, d: logsumexp(a, axis=d))
        cross = staticmethod(jnp.cross)
        zeros = staticmethod(lambda a, b: jnp.zeros((a, b), "float32"))
        sigmoid = staticmethod(jax.nn.sigmoid)
        smallest = staticmethod(lambda a: a.min(1))

    formula, wanted = ROWS[row]
    args = [jnp.asarray(a) for a in data]
    primal = jax.jit(lambda *a: formula(jnp, Names, *a))
    gradient = jax.jit(jax.grad(lambda *a: formula(jnp, Names, *a), argnums=wanted))
    return {"jax primal": best(lambda: jax.block_until_ready(primal(*args)), runs),
            "jax reverse": best(lambda: jax.block_until_ready(gradient(*args)), runs)}


def torch_times(row, data, runs):
    import torch

    class Names:
        tril = staticmethod(lambda a: torch.tril(a, -1))
        logsumexp = staticmethod(torch.logsumexp)
        cross = staticmethod(lambda a, b: torch.linalg.cross(a, b))
        zeros = staticmethod(lambda a, b: torch.zeros(a, b))
        sigmoid = staticmethod(torch.sigmoid)
        smallest = staticmethod(lambda a: a.min(1).values)

    formula, wanted = ROWS[row]
    args = [torch.from_numpy(a) for a in data]
    for k in wanted:
        args[k].requires_grad_(True)

    def gradient():
        return torch.autograd.grad(formula(torch, Names, *args), [args[k] for k in wanted])

    def primal():
        with torch.no_grad():
            return formula(torch, Names, *args)

    return {"torch primal": best(primal, runs), "torch reverse": best(gradient, runs)}


def main():
    row, specs, runs = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    times = {}
    if row in ROWS:
        for side in (jax_times, torch_times):
            try:
                times.update(side(row, inputs_of(specs), runs))
            except ImportError:
                pass
    print(json.dumps({name: t for name, t in times.items() if math.isfinite(t)}))


if __name__ == "__main__":
    main()
