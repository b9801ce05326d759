#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the tests of include/skald/hist.cuh, then times it against CUB.  Needs nvcc and a GPU.
#   bench/hist/header.sh [FOLDER] [few]    FOLDER gets the programs; `few`: four numbers of bins
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-"$root/build/hist-header"}
mkdir -p "$out"
flags="-std=c++17 -O3 -arch=native -I $root/include"
nvcc $flags --extended-lambda "$root/tests/cuda/hist_header_test.cu" -o "$out/hist_header_test"
nvcc $flags "$root/bench/hist/header.cu" -o "$out/header"
"$out/hist_header_test"
"$out/header" ${2:-}
