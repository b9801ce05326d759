#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_python_core.sh PYTHON [ENGINE]: builds skald._core for PYTHON into python/skald, and compiles the package to byte code.
# ENGINE is the compiler (libskald_engine.so, by default that of the release build), which is linked beside it; where there is none, every plan is run by NumPy.
set -euo pipefail
python=${1:-python3}
root=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
engine=${2:-$root/build/release/python/skald/libskald_engine.so}
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
headers=$("$python" -c 'import sysconfig, numpy; print("-I" + sysconfig.get_path("include"), "-I" + numpy.get_include())')
work=$root/build/python-core/${suffix#.}
target=$root/python/skald/_core$suffix
mkdir -p "$work"
compiler=g++
if command -v ccache >/dev/null; then compiler="ccache g++"; fi

# Names of sources whose object is missing, or older than the source or than one of the headers.
sources=("$root"/python/skald/_core/*.cpp "$root"/src/frontend/lazy/{graph,plan,rounds}.cpp)
newest_header=$(find "$root/python/skald/_core" "$root/src/frontend/lazy" -name '*.h' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)
stale=() objects=()
for source in "${sources[@]}"; do
  object=$work/$(basename "$source" .cpp).o
  objects+=("$object")
  if [[ $source -nt $object || $newest_header -nt $object ]]; then stale+=("$source"); fi
done
if ((${#stale[@]})); then
  export compile="$compiler -std=c++20 -O2 -fPIC -fvisibility=hidden -Wall -Wno-missing-field-initializers $headers -I$root/src -I$root/python/skald/_core" work
  # shellcheck disable=SC2016
  printf '%s\0' "${stale[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c '$compile -c "$1" -o "$work/$(basename "$1" .cpp).o"' _
fi
if [[ ! -e $target || ${#stale[@]} -gt 0 ]]; then g++ -shared "${objects[@]}" -ldl -o "$target"; fi
if [[ -e $engine ]]; then ln -sf "$(readlink -f -- "$engine")" "$root/python/skald/libskald_engine.so"; fi
# Importing the package takes 65 ms longer where Python may not keep its byte code (PYTHONDONTWRITEBYTECODE).
"$python" -m compileall -q "$root/python/skald"
