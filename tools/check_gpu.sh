#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Skald without LLVM and checks it on this machine's OpenCL devices; a short table comes last.
#
#   tools/check_gpu.sh [DEVICE…]      parts of the names of devices, as in SKALD_OPENCL_DEVICE (default: NVIDIA)
#
# Installs nothing.  Logs lie in build/gpu.  SKALD_SUITE: a folder of further test programs to run, on all cores.
# Ends within ten minutes: what takes too long is stopped and counts as failed.
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
  timeout 240 "$@" >"$log" 2>&1 || { result=FAILED && rc=1; }
  if [[ $result == FAILED ]]; then grep -m 20 -iE 'error|failed|FAIL' "$log" || tail -n 20 "$log"; fi
  table+=("$(printf '%-28s %-6s %4d s  %s' "$name" "$result" $((SECONDS - started)) "$(grep -v '^ *$' "$log" | tail -n 1 | cut -c 1-100)")")
}

step "configure" cmake --preset release -B "$dir" -DSKALD_CPU=OFF
step "build" ninja -C "$dir"
if ((rc == 0)); then
  step "tests" ctest --test-dir "$dir" --output-on-failure -j "$(nproc)" -LE opencl
  for device in "${@:-NVIDIA}"; do
    export SKALD_OPENCL_DEVICE=$device
    step "programs on $device" "$dir/skald" test --backend=opencl tests/programs examples
    step "random programs on $device" "$dir/skald_property" --backend=opencl --seconds=40
    step "times on $device" bench/gpu/run.py --skald "$dir/skald"
    table+=("$(<"$dir/times_on_$device.log")")
    if [[ -n ${SKALD_SUITE:-} ]]; then
      step "suite on $device" tools/run_suite.py "$SKALD_SUITE" --skald "$dir/skald" --backend=opencl --jobs "$(nproc)" --exclude 'ad/*'
      grep -E '^(crash|fail)' "$dir/suite_on_$device.log" | head -n 40
    fi
  done
fi
printf '%s\n' "${table[@]}"
exit $rc
