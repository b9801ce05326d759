#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_python_core.sh PYTHON: builds skald._core without the compiler into python/skald, for work on the Python part: every plan is then run by NumPy.
set -euo pipefail
python=${1:-python3}
root=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
headers=$("$python" -c 'import sysconfig, numpy; print("-I" + sysconfig.get_path("include"), "-I" + numpy.get_include())')
work=$root/build/python-core
mkdir -p "$work"
objects=()
for source in "$root"/python/skald/_core/*.cpp "$root"/src/frontend/lazy/{graph,plan}.cpp; do
  object=$work/$(basename "$source" .cpp).o
  objects+=("$object")
  if [[ ! -e $object || -n $(find "$root/python/skald/_core" "$root/src/frontend/lazy" -newer "$object" -name '*.h') || $source -nt $object ]]; then
    # shellcheck disable=SC2086
    g++ -std=c++20 -O2 -fPIC -fvisibility=hidden -Wall -Wno-missing-field-initializers $headers -I"$root/src" -I"$root/python/skald/_core" -c "$source" -o "$object"
  fi
done
g++ -shared -ldl "${objects[@]}" -o "$root/python/skald/_core$suffix"
