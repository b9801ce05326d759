# SPDX-License-Identifier: Apache-2.0
"""The rows of `./skald-dev bench cpu`: program, inputs, and what the machine must at least do for it.

Inputs are in the language of data.cpp. `reads` and `writes` are bytes that must come from and go to memory, `flops` f32
operations, `gathers` elements fetched one by one from a table of 800 KB, which fits the second-level cache but not the
first; those that are left out say that no simple limit is meaningful. Sizes are such that one run takes well below 0.3 s
and does not fit the caches.
"""

import re
from dataclasses import dataclass


@dataclass
class Row:
    name: str
    program: str
    inputs: list
    reads: float = 0
    writes: float = 0
    flops: float = 0
    gathers: float = 0
    rtol: float = 1e-5  # of the largest magnitude; integers must be equal
    share: float = 0  # of the elements may differ more: points where one rounding decides
    peer: str = ""  # the hand-written program, if it has another name than `program`
    group: str = ""

    def small_inputs(self):
        """Inputs of the same kind on which a run takes next to no time: what is in the hundreds becomes 64."""
        return [re.sub(r"(?<![\d.])\d{3,}", "64", spec) for spec in self.inputs]


M = 1_000_000


def streaming():
    n = 32 * M
    f32 = f"f32:{n}:0:1"
    yield Row("sum", "sum", [f32], reads=4 * n)
    yield Row("dot", "dot", [f32, f32], reads=8 * n)
    yield Row("saxpy", "saxpy", ["f32=1.5", f32, f32], reads=8 * n, writes=4 * n)
    yield Row("scan i32", "scan_i32", [f"i32:{n}:0:100"], reads=4 * n, writes=4 * n)
    yield Row("scan f32", "scan_f32", [f32], reads=4 * n, writes=4 * n, rtol=1e-4)
    k = M
    yield Row("scan 4x4", "scan_mat4", [f"i32:{k}x4x4:-9:10"], reads=64 * k, writes=64 * k)
    yield Row("filter", "filter", [f"i32:{n}:0:1000000"], reads=4 * n, writes=2 * n)


def dense():
    yield Row("transpose", "transpose", ["f32:4000x4000:0:1"], reads=64 * M, writes=64 * M)
    yield Row("matvec", "matvec", ["f32:8000x4000:0:1", "f32:4000:0:1"], reads=128 * M, flops=64 * M)
    yield Row("matmul", "matmul", ["f32:1024x1024:0:1", "f32:1024x1024:0:1"], flops=2 * 1024**3)
    yield Row("lu", "lu", ["f32:512x512:dominant"], flops=2 / 3 * 512**3, rtol=1e-4)


def segments():
    n = 30 * M
    for length in (10, 1000, 100_000):
        yield Row(f"segsum {length}", "segsum", [f"f32:{n // length}x{length}:0:1"], reads=4 * n, writes=4 * n // length)
    yield Row("segsum skewed", "segsum_skewed", [f"offsets:100000:{n}:skewed", f"f32:{n}:0:1"], reads=4 * n, rtol=1e-4)
    nnz = 10 * M
    yield Row("spmv", "spmv", [f"offsets:200000:{nnz}:even", f"i32:{nnz}:0:200000", f"f32:{nnz}:0:1", "f32:200000:0:1"],
              reads=8 * nnz, gathers=nnz)


def sorting():
    yield Row("radix sort", "radix_sort", [f"u32:{4 * M}:0:4294967296"])
    keys = [f"i32:{200_000}:0:1000000000"]
    yield Row("quicksort", "quicksort", keys)
    yield Row("quicksort flat", "quicksort_flat", keys)


def histograms():
    n = 8 * M
    for operator in ("add", "sat", "argmax"):
        for bins, name in ((16, "16"), (2048, "2K"), (65536, "64K"), (1 << 20, "1M"), (1 << 24, "16M")):
            for keys, spec in (("uniform", f"i32:{n}:0:{bins}"), ("one", f"i32:{n}:7:8"), ("zipf", f"i32:{n}:zipf:{bins}")):
                inputs = [f"i64={bins}", spec]
                if operator == "argmax":
                    inputs.append(f"i32:{n}:0:1000000000")
                yield Row(f"hist {operator} {name} {keys}", f"hist_{operator}", inputs, group="hist",
                          reads=4 * n * (2 if operator == "argmax" else 1),
                          writes=bins * (12 if operator == "argmax" else 4))


def computing():
    yield Row("mandelbrot", "mandelbrot", ["i64=1000", "i64=1000", "i32=255"], share=0.01)
    n = 8192
    yield Row("n-body", "nbody", [f"f32:{n}:-1:1"] * 3 + [f"f32:{n}:0:1"], flops=20.0 * n * n, rtol=1e-4)
    n = 4 * M
    yield Row("black-scholes", "black_scholes", [f"f32:{n}:5:30", f"f32:{n}:1:100", f"f32:{n}:0.25:10"],
              reads=12 * n, writes=8 * n, rtol=1e-4)
    yield Row("monte carlo", "monte_carlo", ["i64=262144", "i32=16"], rtol=1e-3)
    yield Row("ambient occlusion", "ambient_occlusion", ["i64=400", "i64=300", "i32=64"], rtol=1e-4, share=0.01)
    yield Row("k-means", "kmeans", ["i64=16", "i32=10", "f32:200000x4:0:1"], flops=10.0 * 200_000 * 16 * 4 * 3, rtol=1e-3)


def stencils():
    cells = 2048 * 2048
    yield Row("heat", "heat", ["i32=20", "f32:2048x2048:0:1"], reads=20 * 4 * cells, writes=20 * 4 * cells, flops=20 * 7 * cells)
    yield Row("life", "life", ["i32=20", "u8:2048x2048:0:2"], reads=20 * cells, writes=20 * cells)
    cells = 512 * 512
    yield Row("lattice boltzmann", "lbm", ["i32=20", "f32:9x512x512:0.9:1.1"], reads=20 * 36 * cells, writes=20 * 36 * cells,
              rtol=1e-4)


def text():
    n = 32 * M
    yield Row("string search", "string_search", [f"u8:{n}:97:101", "u8:8:97:101"], reads=n)


ROWS = [*streaming(), *dense(), *segments(), *sorting(), *computing(), *stencils(), *text(), *histograms()]
