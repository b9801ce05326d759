#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Skald without LLVM and checks it on this machine's OpenCL devices; a short table comes last.
#
#   tools/check_gpu.sh [DEVICE…]      parts of the names of devices, as in SKALD_OPENCL_DEVICE (default: NVIDIA)
#
# Installs nothing.  Logs lie in build/gpu.
set -u -o pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit 1
dir=build/gpu
mkdir -p "$dir"
table=()
rc=0

# step NAME COMMAND…: runs a command with its output in a log; its row is the log's last line.
step() {
  local name=$1 log=$dir/${1//[^a-zA-Z0-9]/_}.log started=$SECONDS result=ok
  shift
  "$@" >"$log" 2>&1 || { result=FAILED && rc=1; }
  if [[ $result == FAILED ]]; then grep -m 20 -iE 'error|failed|FAIL' "$log" || tail -n 20 "$log"; fi
  table+=("$(printf '%-28s %-6s %4d s  %s' "$name" "$result" $((SECONDS - started)) "$(grep -v '^ *$' "$log" | tail -n 1 | cut -c 1-100)")")
}

# values N…: f32 values in the binary format; a scalar for 0, else a vector of N elements.
values() {
  python3 - "$@" <<'PYTHON'
import struct, sys
for n in map(int, sys.argv[1:]):
    sys.stdout.buffer.write(b"b\x02\x00 f32" if n == 0 else b"b\x02\x01 f32" + struct.pack("<q", n))
    sys.stdout.buffer.write(struct.pack("<f", 1.5) * max(n, 1))
PYTHON
}

# time_program NAME FILE N…: one run on the device, without start, compilation and input.
time_program() {
  local name=$1 file=$2 best
  shift 2
  best=$(values "$@" | "$dir/skald" run --backend=opencl -n -r 10 -t /dev/stdout "$file" 2>"$dir/time.log" | sort -n | head -n 1)
  table+=("$(printf '%-28s %8s µs, best of ten' "$name" "${best:-?}")")
}

step "configure" cmake --preset release -B "$dir" -DSKALD_CPU=OFF
step "build" ninja -C "$dir"
if ((rc == 0)); then
  step "tests" ctest --test-dir "$dir" --output-on-failure -j "$(nproc)" -LE opencl
  for device in "${@:-NVIDIA}"; do
    export SKALD_OPENCL_DEVICE=$device
    step "programs on $device" "$dir/skald" test --backend=opencl tests/programs examples
    time_program "sum, 100 M f32" bench/programs/sum.fut 100000000
    time_program "saxpy, 100 M f32" bench/programs/saxpy.fut 0 100000000 100000000
  done
fi
printf '%s\n' "${table[@]}"
exit $rc
