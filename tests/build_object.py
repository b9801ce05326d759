#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`skald build`: the object is linked with a host program in C++ and with the runtime library, and called.

    tests/build_object.py --skald SKALD --cxx g++ --include src -- LIBRARY-OR-LINKER-OPTION…
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
entry norm [n] (xs: [n]f64) : f64 = f64.sqrt (f64.sum (map (\\x -> x * x) xs)) + f64.sin 0
entry shift [n] (xs: [n]i32) (k: i64) : [n]i32 = map (\\i -> xs[i + k]) (iota n)
entry curves [n] (xs: [n]f64) (ys: [n]f32) : ([n]f64, [n]f32) =
  (map (\\x -> f64.exp x + f64.sin x + f64.atan x) xs, map (\\y -> f32.tan y + f32.tanh y) ys)
"""
HOST = r"""
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>
#include "my_lib.h"
#include "runtime/context.h"
#include "runtime/cpu/parallel.h"

template <class T>
SkaldBlock* block_of(SkaldContext& ctx, const std::vector<T>& values) {
  SkaldBlock* block = skald_rt_alloc(&ctx, static_cast<int64_t>(values.size() * sizeof(T)));
  std::memcpy(block->data, values.data(), values.size() * sizeof(T));
  return block;
}

int main() {
  skald::runtime::ThreadPool pool;
  SkaldContext ctx(&pool);
  std::vector<double> xs(1000000, 2.0);
  SkaldBlock* block = block_of(ctx, xs);
  const int64_t n = static_cast<int64_t>(xs.size());
  int64_t in[] = {n, reinterpret_cast<intptr_t>(block), n};
  int64_t out[2] = {};
  if (my_lib_entry_0(&ctx, in, out) != 0) return 3;
  double norm = 0;
  std::memcpy(&norm, out, 8);
  std::printf("%g\n", norm);
  skald_rt_release(block);

  std::vector<int32_t> ys(5);
  std::iota(ys.begin(), ys.end(), 10);
  block = block_of(ctx, ys);
  int64_t in2[] = {5, reinterpret_cast<intptr_t>(block), 5, 0};
  if (my_lib_entry_1(&ctx, in2, out) != 0) return 3;
  auto* result = reinterpret_cast<SkaldBlock*>(out[0]);
  std::printf("%lld: %d\n", static_cast<long long>(out[1]), static_cast<int32_t*>(result->data)[4]);
  skald_rt_release(result);
  SkaldBlock* angles = block_of(ctx, std::vector<double>(100, 1.0));
  SkaldBlock* halves = block_of(ctx, std::vector<float>(100, 0.5f));
  int64_t in3[] = {100, reinterpret_cast<intptr_t>(angles), 100, reinterpret_cast<intptr_t>(halves), 100};
  int64_t out3[4] = {};
  if (my_lib_entry_2(&ctx, in3, out3) != 0) return 3;
  auto* wide = reinterpret_cast<SkaldBlock*>(out3[0]);
  auto* narrow = reinterpret_cast<SkaldBlock*>(out3[2]);
  std::printf("%.4f %.4f\n", static_cast<double*>(wide->data)[99], static_cast<float*>(narrow->data)[99]);
  for (SkaldBlock* used : {angles, halves, wide, narrow}) skald_rt_release(used);

  SkaldContext failing(&pool);
  in2[3] = 1;
  if (my_lib_entry_1(&failing, in2, out) != 1) return 3;
  const auto error = failing.errors.error();
  if (!error) return 3;
  std::printf("%s (%lld)\n", my_lib_messages[error->id], static_cast<long long>(error->values[0]));
  skald_rt_release(block);
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skald", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("link", nargs="*")
    args = parser.parse_args()
    skald = os.path.abspath(args.skald)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "lib.fut").write_text(PROGRAM)
        (folder / "host.cpp").write_text(HOST)
        subprocess.run([skald, "build", "--backend=cpu", "lib.fut", "-o", "my-lib"], cwd=folder, check=True)
        manifest = json.loads((folder / "my-lib.json").read_text())
        entries = manifest["entry_points"]
        assert entries["norm"]["symbol"] == "my_lib_entry_0", entries
        assert entries["shift"]["inputs"] == [
            {"type": "[]i32", "unique": False}, {"type": "i64", "unique": False}], entries
        (folder / "my-lib.h").rename(folder / "my_lib.h")
        subprocess.run([args.cxx, "-std=c++20", "-I.", "-I" + os.path.abspath(args.include), "host.cpp", "my-lib.o",
                        "-o", "host", *args.link], cwd=folder, check=True)
        done = subprocess.run(["./host"], cwd=folder, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        assert done.returncode == 0, done
        assert lines[:3] == ["2000", "5: 14", "4.3452 1.0084"], lines
        assert "out of bounds" in lines[3], lines
        (folder / "bad.fut").write_text("entry main (x: f32) : f32 = f32.sinpi x\n")
        bad = subprocess.run([skald, "build", "bad.fut"], cwd=folder, capture_output=True, text=True)
        assert bad.returncode in (0, 2) and "internal" not in bad.stderr, bad
        missing = subprocess.run([skald, "build", "lib.fut", "-o", "no/such/folder"], cwd=folder, capture_output=True, text=True)
        assert missing.returncode == 2 and "cannot write" in missing.stderr, missing
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
