#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Skald without LLVM and checks it on this machine's GPU; a short table comes last.
#
#   tools/check_gpu.sh [--only=STAGE,…] [--backend=cuda,opencl] [--device=NAME] [--jobs=N] [--quick]
#
#   build      skald, libskald and the random programs, in build/gpu
#   tests      all program tests, on both back ends
#   errors     wrong names, missing compilers, kernels that never end, threads (tests/device_errors.py)
#   loops      loops of small kernels: in one group of threads, as graphs, one by one
#   random     random programs against the interpreter
#   sanitize   one small program for each skeleton under compute-sanitizer: memcheck, racecheck, synccheck
#   bench      bench/gpu/run.py
#   nests      bench/gpu/nests.py: every version of a nest
#   suite      a folder of other programs, named by SKALD_SUITE
#
# SKALD_PEERS: a file with the times of another program for the bench (bench/gpu/run.py --peers).
# Without --only: all but nests, and suite if SKALD_SUITE is set.  Installs nothing.  Logs lie in build/gpu/check; the table and
# that of the bench are left in build/gpu/check/gpu-results.md, as docs/gpu-results.md has them.  A stage that takes too long is
# stopped and counts as failed.  --quick: less time for random programs and rows of the bench.  Exit code 1: something failed.
set -u -o pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit 1
dir=build/gpu
logs=$dir/check
jobs=$(nproc)
stages=build,tests,errors,loops,random,sanitize,bench${SKALD_SUITE:+,suite}
backends=cuda,opencl
device=NVIDIA
quick=0
for arg in "$@"; do
  case $arg in
    --only=*) stages=${arg#*=} ;;
    --backend=*) backends=${arg#*=} ;;
    --device=*) device=${arg#*=} ;;
    --jobs=*) jobs=${arg#*=} ;;
    --quick) quick=1 ;;
    *)
      sed -n '3,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
      exit 2
      ;;
  esac
done
known=" build tests errors loops random sanitize bench nests suite "
for stage in ${stages//,/ }; do
  [[ $known == *" $stage "* ]] || { echo "there is no stage '$stage'; the stages are$known" >&2 && exit 2; }
done
mkdir -p "$logs"
export SKALD_OPENCL_DEVICE=$device
skald=$dir/skald
table=()
rc=0

wanted() { [[ ,$stages, == *,$1,* ]]; }

# step SECONDS NAME COMMAND…: runs a command with its output in a log; its row is the log's last line.
step() {
  local seconds=$1 name=$2 log=$logs/${2//[^a-zA-Z0-9]/_}.log started=$SECONDS result=ok code=0
  shift 2
  echo "== $name" >&2
  timeout --kill-after=10 "$seconds" "$@" >"$log" 2>&1 || code=$?
  if ((code == 77)); then
    result=skipped
  elif ((code != 0)); then
    result=FAILED
    rc=1
    ((code == 124)) && echo "stopped after $seconds s" >>"$log"
    { grep -m 30 -iE 'error|FAILED|^fail' "$log" || tail -n 20 "$log"; } >&2
  fi
  table+=("$(printf '%-24s | %-7s | %4d s | %s' "$name" "$result" $((SECONDS - started)) "$(grep -v '^ *$' "$log" | tail -n 1 | cut -c 1-110)")")
}

configure_and_build() {
  local generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  cmake -S . -B "$dir" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DSKALD_CPU=OFF -DSKALD_CBC=OFF -DCMAKE_UNITY_BUILD=ON &&
    cmake --build "$dir" -j "$jobs" --target skald skald_shared skald_property
}

# Several at once, each with seeds of its own.
random_programs() {
  local backend=$1 seconds=$2 count=$((jobs > 8 ? 8 : jobs)) k pids=() bad=0
  for ((k = 0; k < count; k++)); do
    "$dir/skald_property" --backend="$backend" --seconds="$seconds" --seed=$((RANDOM * 1000 + k * 1000000)) >"$logs/random_$k.log" 2>&1 &
    pids+=($!)
  done
  for ((k = 0; k < count; k++)); do wait "${pids[k]}" || bad=$((bad + 1)); done
  cat "$logs"/random_[0-9]*.log
  rm -f "$logs"/random_[0-9]*.log
  echo "$count processes of $seconds s, $bad failed"
  ((bad == 0))
}

# Microseconds of a step of each loop: in one group, as graphs, one launch after the other.
loops() {
  local entry way bad=0 line="" times
  for entry in counted swapped three until; do
    local words=(run --backend=cuda -e "$entry" bench/gpu/programs/loops.fut)
    times=()
    for way in "" "--disable=group-loops" "--disable=group-loops --disable=graphs"; do
      # shellcheck disable=SC2086
      "$skald" "${words[@]}" $way <<<"1000i64 1000i32" >"$logs/loop_${#times[@]}" || bad=1
      # A group adds up in another order.
      ((${#times[@]} < 2)) || cmp "$logs/loop_1" "$logs/loop_2" || bad=1
      # shellcheck disable=SC2086
      times+=("$("$skald" "${words[@]}" $way -n -r 11 -t /dev/stdout <<<"1000i64 1000i32" | sort -n | sed -n 6p)")
    done
    line+=$(awk -v e="$entry" -v a="${times[0]}" -v b="${times[1]}" -v c="${times[2]}" 'BEGIN { printf "%s %.2f/%.2f/%.2f, ", e, a / 1000, b / 1000, c / 1000 }')
  done
  echo "µs a step in a group/as graphs/without: ${line%, }"
  return $bad
}

sanitizer() {
  local path
  for path in "${SKALD_SANITIZER:-}" "$(command -v compute-sanitizer)" /usr/local/cuda*/bin/compute-sanitizer /opt/cuda*/bin/compute-sanitizer; do
    [[ -x $path ]] && echo "$path" && return
  done
}

# timeout runs programs, not functions.
export -f configure_and_build random_programs loops
export dir logs jobs skald
if wanted build; then step 590 "build" bash -c configure_and_build; fi
if [[ ! -x $skald ]]; then
  echo "there is no $skald: run the stage build first" >&2
  rc=1
  stages=
fi
for backend in ${backends//,/ }; do
  wanted tests && step 300 "tests on $backend" "$skald" test --no-terminal -j "$jobs" --backend="$backend" tests/programs examples
done
if wanted errors; then
  for backend in ${backends//,/ }; do
    step 280 "errors on $backend" python3 tests/device_errors.py --skald "$skald" --library "$dir/libskald.so" --backend="$backend"
    step 100 "many points on $backend" python3 tests/large_arrays.py --skald "$skald" --backend="$backend"
    step 100 "memory of histograms on $backend" python3 tests/hist_memory.py --skald "$skald" --backend="$backend" --points 50000000 \
      --bins 5000,100000,1000000 --operators add,saturating,products,argmax,quadruples
  done
fi
wanted loops && step 100 "loops" bash -c loops
if wanted random; then
  for backend in ${backends//,/ }; do
    step 120 "random on $backend" bash -c 'random_programs "$@"' random "$backend" $((quick ? 10 : 30))
  done
fi
if wanted sanitize; then
  first=${backends%%,*} tool=
  if [[ $first == cuda ]]; then
    tool=$(sanitizer)
    [[ -z $tool ]] && table+=("sanitizer                | MISSING |        | no compute-sanitizer; name it in SKALD_SANITIZER") && rc=1
  fi
  step 400 "skeletons on $first" python3 tests/gpu/sanitize.py --skald "$skald" --backend "$first" --jobs "$jobs" ${tool:+--sanitizer "$tool"}
fi
if wanted bench; then
  for backend in ${backends//,/ }; do
    [[ $backend == opencl && $backends == *cuda* ]] && continue
    step 400 "bench on $backend" python3 bench/gpu/run.py --build "$dir" --backend "$backend" --seconds $((quick ? 0 : 1)) \
      --json "$logs/bench.json" --markdown "$logs/bench.md" --html "$logs/bench.html" ${SKALD_PEERS:+--peers "$SKALD_PEERS"}
  done
fi
wanted nests && step 400 "nests" python3 bench/gpu/nests.py --skald "$skald" --backend "${backends%%,*}"
if wanted suite; then
  for backend in ${backends//,/ }; do
    step 590 "suite on $backend" python3 tools/run_suite.py "${SKALD_SUITE:?}" --skald "$skald" --backend="$backend" --jobs "$jobs" --together 100 --exclude 'ad/*'
  done
fi

gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
{
  echo "# The GPU back ends, checked"
  echo
  echo "What \`tools/check_gpu.sh\` printed at $(git rev-parse --short HEAD 2>/dev/null || echo unknown) on ${gpu:-$device}."
  echo
  echo "| stage | result | time | last words |"
  echo "|---|---|---|---|"
  printf '| %s |\n' "${table[@]}"
  if wanted bench && [[ -f $logs/bench.md ]]; then
    echo
    cat "$logs/bench.md"
  fi
} >"$logs/gpu-results.md"
wanted bench && [[ -f $logs/bench.md ]] && cat "$logs"/bench_on_*.log
printf '%s\n' "${table[@]}"
exit $rc
