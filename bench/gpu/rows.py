# SPDX-License-Identifier: Apache-2.0
"""The rows: program, entry point, how its inputs are made, bytes that must at least be moved, and what others took.

`anchors` are microseconds on an NVIDIA H200 for the full sizes: the limit by bytes, a hand-written kernel, the library that is
made for it (CUB, cuBLAS, cuSPARSE), Futhark's cuda back end.  They are constants, to compare with; the limit in the table is
measured in the same run."""

from collections import namedtuple

Row = namedtuple("Row", "name program entry inputs reads writes anchors per unit")
M = 1_000_000


def row(name, program, entry, inputs, reads=0, writes=0, limit=None, hand=None, library=None, futhark=None, per=1, unit="µs"):
    """`inputs` are numbers, or (entry of data.fut, arguments…); `per`: the time shown is divided by it."""
    return Row(name, program, entry, inputs, reads, writes, (limit, hand, library, futhark), per, unit)


def primitives(s):
    """`s`: 1 for the full sizes, 1000 to try the script."""
    n = 100 * M // s
    xs, ys, ks = ("uniform", n, 1, 0.0, 1.0), ("uniform", n, 2, 0.0, 1.0), ("ints", n, 1, 1000)
    p = "primitives"
    yield row("triad f32", p, "triad", [xs, ys], 8 * n, 4 * n)
    yield row("saxpy f32", p, "saxpy", [2.0, xs, ys], 8 * n, 4 * n, 280, 281, 281, 373)
    yield row("sum f32", p, "sum", [xs], 4 * n, 0, 89, 97, 113, 133)
    yield row("sum u8 to i64", p, "sum_u8", [("bytes", n, 1)], n, 0, 22, 32, 46, 92)
    yield row("argmax f32", p, "argmax", [xs], 4 * n, 0, 89, None, 105)
    yield row("scan f32", p, "scan_f32", [xs], 4 * n, 4 * n, 190, 197, 272, 690)
    yield row("scan i32", p, "scan_i32", [ks], 4 * n, 4 * n, 190, 197, 274, 681)
    k = n // 10
    yield row("scan of 2x2 matrices, 10 M", p, "scan_mat2", [("uniform", k, j, 0.4, 0.6) for j in range(4)], 16 * k, 16 * k, 76, None, 286)
    k = n // 2
    yield row("scan of recurrences, 50 M", p, "scan_recurrence", [("uniform", k, j, 0.5, 0.9) for j in range(2)], 8 * k, 8 * k, 190, None, 613)
    yield row("filter even i32", p, "filter_even", [ks], 4 * n, 2 * n, 140, None, 246, 2145)
    yield row("partition i32", p, "partition_even", [ks], 4 * n, 4 * n, 190, None, 351)
    yield row("three-way partition i32", p, "partition_three", [ks], 4 * n, 4 * n, 190, None, 509)
    for m, limit, hand, library, futhark in ((1, 190, 204, 107756, None), (3, 126, 136, 36292, None), (10, 104, 121, 10991, 559),
                                             (33, 92, 108, 3383, None), (1000, 89, 98, 214, 416), (100_000, 89, 98, 113, 227)):
        rows = max(n // m, 1)
        yield row(f"segmented sum, rows of {m}", p, "row_sums", [("uniform2", rows, m, 1, 0.0, 1.0)], 4 * rows * m, 4 * rows, limit, hand, library, futhark)
    yield row("segmented sum, 1 M Zipf rows", p, "segment_sums", [("skewed_offsets", M // s, n), xs], 4 * n + 8 * M // s, 4 * M // s, 91, 186, 317)
    for m, library, futhark in ((1, 361, None), (3, 361, None), (10, 361, 440), (33, 361, None), (1000, 361, 630)):
        rows = max(n // m, 1)
        yield row(f"segmented scan, rows of {m}", p, "row_scans", [("uniform2", rows, m, 1, 0.0, 1.0)], 4 * rows * m, 4 * rows * m, 190, 198, library, futhark)
    table = ("uniform2", n // 1000, 1000, 1, 0.0, 1.0)
    yield row("column sums, 100 000 x 1000", p, "column_sums", [table], 4 * n, 0, 89, 111, None, 482)
    yield row("row sums, 100 000 x 1000", p, "row_sums", [table], 4 * n, 0, 89, 98, None, 416)
    side = int(n ** 0.5)
    yield row("transpose + 1", p, "transpose_add", [("uniform2", side, side, 1, 0.0, 1.0)], 4 * side * side, 4 * side * side, 190, 224, None, 624)
    yield row("gather from 100 M", p, "gather", [xs, ("ints", n, 2, n)], 8 * n, 4 * n, None, 2405)
    yield row("gather from 1 M", p, "gather", [("uniform", M // s, 1, 0.0, 1.0), ("ints", n, 2, M // s)], 8 * n, 4 * n, None, 703)
    yield row("scatter by a permutation", p, "scatter_all", [("permutation", n), xs], 8 * n, 4 * n, None, 5963)
    yield row("bytes into 256 bins, 400 M", p, "byte_bins", [("bytes", 4 * n, 1)], 4 * n, 0, 89, 103, 203)
    k = n // 2
    for h, hand, library, futhark in ((31, 55, 134, 485), (2000, 60, 634, 508), (24_000, 66, 699, 544), (192_000, 305, 2933, 811), (1_500_000, 305, 5564, 749)):
        yield row(f"50 M into {h} bins", p, "bins", [max(h // s, 1), ("words", k, 1)], 4 * k, 0, 54, hand, library, futhark)


def nests(s):
    p = "primitives"
    side = 8192 // (16 if s > 1 else 1)
    steps = 100 if s == 1 else 4
    cells = side * side
    yield row("heat 8192², a step of 100", p, "heat", [steps, ("uniform2", side, side, 1, 0.0, 1.0)], 4 * cells * steps, 4 * cells * steps, 127, 135, None, 281, per=steps)
    cube = 512 // (16 if s > 1 else 1)
    steps = 20 if s == 1 else 2
    yield row("heat 512³, a step of 20", p, "heat3", [steps, ("uniform3", cube, cube, cube, 1, 0.0, 1.0)], 4 * cube**3 * steps, 4 * cube**3 * steps, 254, 280, per=steps)
    k = 4096 // (64 if s > 1 else 1)
    yield row("matrix product 4096³ f32", p, "product_f32", [("uniform2", k, k, 1, -1.0, 1.0), ("uniform2", k, k, 2, -1.0, 1.0)], 8 * k * k, 4 * k * k, 2706, None, 2706, 12068)
    yield row("matrix product 4096³ f64", p, "product_f64", [("uniform2_f64", k, k, 1), ("uniform2_f64", k, k, 2)], 16 * k * k, 8 * k * k, 2213, None, 2213)
    b = 100_000 // s
    yield row("100 000 products 16x16", p, "products", [("uniform3", b, 16, 16, 1, -1.0, 1.0), ("uniform3", b, 16, 16, 2, -1.0, 1.0)], 2048 * b, 1024 * b, 73, 100, 267)


def programs(s):
    """Whole programs; those of bench/cpu are used as they are."""
    cpu = "../../cpu/programs/"
    n = 100 * M // s
    b = n // 2
    yield row("black-scholes 50 M", cpu + "black_scholes", "main", [("uniform", b, 1, 5.0, 30.0), ("uniform", b, 2, 1.0, 100.0), ("uniform", b, 3, 0.25, 10.0)],
              12 * b, 8 * b, 190, 242, None, 344)
    bodies = 100_000 // (100 if s > 1 else 1)
    yield row("n-body forces, 100 000", cpu + "nbody", "main", [("uniform", bodies, j, 0.0, 1.0) for j in range(4)], 16 * bodies, 12 * bodies, None, 5147, None, 14348)
    w = 8192 // (32 if s > 1 else 1)
    # The hand-written kernel took 1177 µs for an area with 47.4 rounds a point; this one has 69.9.
    yield row("mandelbrot 8192²", cpu + "mandelbrot", "main", [w, w, 255], 0, 4 * w * w, None, 1177 * 69.9 / 47.4, None, 1388)
    yield row("radix sort u32", "radix_sort", "radix_sort", [("words", n, 1)], 4 * n, 4 * n, None, None, 2403)
    rows, nnz = 4 * M // s, 64 * M // s
    spmv = [("ints", nnz, 3, rows), ("uniform", nnz, 4, 0.0, 1.0), ("uniform", rows, 5, 0.0, 1.0)]
    yield row("sparse x vector, rows of 16", cpu + "spmv", "main", [("even_offsets", rows, 16)] + spmv, 8 * nnz + 12 * rows, 4 * rows, None, 484, 478)
    yield row("sparse x vector, power law", cpu + "spmv", "main", [("skewed_offsets", rows, nnz)] + spmv, 8 * nnz + 12 * rows, 4 * rows, None, 516, 487)
    points = 10 * M // s
    yield row("k-means, 10 M x 4, 16 centres, a round", cpu + "kmeans", "main", [16, 5, ("uniform2", points, 4, 1, 0.0, 1.0)], 5 * 16 * points, 0, per=5)
    cells = 2048 // (32 if s > 1 else 1)
    yield row("lattice Boltzmann 2048², a step", cpu + "lbm", "main", [20, ("uniform3", 9, cells, cells, 1, 0.9, 1.1)], 20 * 36 * cells**2, 20 * 36 * cells**2, per=20)
    cells = 8192 // (64 if s > 1 else 1)
    yield row("life 8192², a step", cpu + "life", "main", [20, ("bits2", cells, cells, 1)], 20 * cells**2, 20 * cells**2, per=20)
    yield row("Monte-Carlo pricing, 10 M paths", cpu + "monte_carlo", "main", [10 * M // s, 64])
    yield row("ray tracing 1920x1080, 64 samples", cpu + "ambient_occlusion", "main", [1920 // (10 if s > 1 else 1), 1080 // (10 if s > 1 else 1), 64])
    k = 2048 if s == 1 else 64
    yield row("LU 2048", cpu + "lu", "main", [("dominant", k, 1)], 8 * k**3 // 3, 4 * k**3 // 3)
    yield row("quicksort 1 M, recursive", cpu + "quicksort", "main", [("ints", M // s, 1, 1 << 30)])
    yield row("quicksort 10 M, flat", cpu + "quicksort_flat", "main", [("ints", 10 * M // s, 1, 1 << 30)])
    nodes = 4 * M // s
    yield row("breadth-first search, 4 M x 8", "bfs", "bfs", [nodes, 8, ("neighbours", nodes, 8, 1)], 36 * nodes, 4 * nodes)
    k = 1 << (24 if s == 1 else 12)
    yield row("FFT 2²⁴", "fft", "fft", [("uniform", k, 1, -1.0, 1.0), ("uniform", k, 2, -1.0, 1.0)], 8 * k, 8 * k)
    for name in ("counted", "swapped", "three", "until"):
        steps = 1000 if s == 1 else 100
        yield row(f"a loop of {steps}: {name}, a step", "loops", name, [1000, steps], per=steps,
                  limit=0.85 if name in ("counted", "swapped") else None, hand=5.9 if name in ("counted", "swapped") else None)


# How a program with hand-written kernels and library calls names the same things (run.py --peers): the beginnings of its rows.
PEERS = {
    "saxpy f32": "saxpy f32", "sum f32": "sum f32", "sum u8 to i64": "sum u8->i64", "argmax f32": "argmax f32", "scan f32": "scan f32", "scan i32": "scan i32",
    "scan of 2x2 matrices, 10 M": "scan 2x2 f32 matrices 10M", "scan of recurrences, 50 M": "scan (a,b) recurrence 50M", "filter even i32": "filter even i32",
    "partition i32": "partition even i32", "three-way partition i32": "three-way partition i32", "segmented sum, 1 M Zipf rows": "segsum skewed",
    "column sums, 100 000 x 1000": "column sums 100000x1000", "row sums, 100 000 x 1000": "row sums 100000x1000", "transpose + 1": "transpose+1 10000^2",
    "gather from 100 M": "gather 100M from 100M", "gather from 1 M": "gather 100M from 1M", "scatter by a permutation": "scatter 100M permutation",
    "bytes into 256 bins, 400 M": "histogram u8 400M 256 bins", "heat 8192², a step of 100": "heat 8192^2", "100 000 products 16x16": "100000 x 16x16 matmul",
    "black-scholes 50 M": "black-scholes 50M hand |", "n-body forces, 100 000": "n-body 100000", "radix sort u32": "radix sort u32 keys",
    "matrix product 4096³ f32": "sgemm 4096", "matrix product 4096³ f64": "dgemm 4096", "sparse x vector, rows of 16": "spmv CSR 4Mx16",
    "sparse x vector, power law": "spmv CSR power-law", "heat 512³, a step of 20": "7-point 512^3",
    **{f"segmented sum, rows of {m}": f"segsum {m} " for m in (1, 3, 10, 33, 1000, 100_000)}, **{f"segmented scan, rows of {m}": f"segscan {m} " for m in (1, 3, 10, 33, 1000)},
}


def all_rows(shrink):
    yield from primitives(shrink)
    yield from nests(shrink)
    yield from programs(shrink)
