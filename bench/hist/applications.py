# SPDX-License-Identifier: Apache-2.0
"""Programs whose time is that of their histograms, after papers and benchmark suites.  Data are made by entry points of the programs."""

from dataclasses import dataclass


@dataclass
class Application:
    name: str
    program: str
    entry: str
    # Arguments: numbers, or (entry point, its arguments), whose results are all taken.
    arguments: list
    read: int  # bytes that must be read at least
    peer: str  # the same by hand, a function of peers/applications.cu


def applications(part):
    """`part`: all sizes are divided by it, to try the script."""

    def many(n):
        return max(n // part, 64)

    n, d = many(100_000), 256
    for k in (5, 1024):
        yield Application(f"k-means sums, k = {k}", "kmeans", "sums", [k, ("make_own", n, k), ("make_points", n, d)], 4 * n * (d + 1), "kmeans_sums")
    yield Application("k-means step, k = 5", "kmeans", "step", [5, ("make_points", n, d)], 4 * n * d, "kmeans_step")
    n = many(4_000_000)
    yield Application("histo, 996 x 1024", "histo", "bins", [("make_keys", n)], 4 * n, "histo")
    n, sets = many(4096) if part == 1 else 64, 16
    yield Application("tpacf, 16 sets", "tpacf", "tpacf", [("make_set", n), ("make_sets", sets, n)], 12 * n * (sets + 1), "tpacf")
    n = many(64_000_000)
    for bins in (64, 256):
        yield Application(f"bytes, {bins} bins", "byte_bins", f"bins{bins}", [("make_bytes", n)], n, f"bytes_{bins}")
    for millions in (2, 8):
        n = many(millions * 1_000_000)
        yield Application(f"registration, {millions} M", "registration", "joint", [64, 64, ("make_image", n, 1), ("make_image", n, 7)], 8 * n, "registration")
    n, near = many(100_000), 60
    yield Application("forces", "forces", "forces", [("make_places", n), ("make_charges", n), ("make_pairs", n, near)], 8 * n * near + 16 * n, "forces")
    n, f = many(1_000_000), 28
    for nodes in (1, 32):
        yield Application(f"boosting, {nodes} nodes", "boosting", "bins",
                          [nodes, ("make_features", f, n), ("make_nodes", n, nodes), ("make_numbers", n), ("make_numbers", n)], f * n + 12 * n, "boosting")
    n = many(20_000_000)
    yield Application("bincount, 1000", "bincount", "bincount", [1000, ("make_keys", n, 1000)], 4 * n, "bincount")
    yield Application("bincount, weights", "bincount", "weighted", [1000, ("make_keys", n, 1000), ("make_weights", n)], 12 * n, "bincount_weights")


def arguments_of(program, application):
    """Numbers and arrays, made by the same program."""
    arguments = []
    for argument in application.arguments:
        arguments += program.call(*argument) if isinstance(argument, tuple) else [argument]
    return arguments
