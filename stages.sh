#!/usr/bin/env bash
# Runs stages of the Makefile, then says how long each took and which tests were the slowest:
#
#   ./stages.sh "format vet" "unit" "race controls"
#
# runs the stages of a group two at a time, one group after the other. The browser's tests wait half
# of their time and go first when they want the processor, so others fill their pauses. Each line
# begins with the name of its stage. A group in which something failed is the last one; what failed stands at the end.
set -uo pipefail
cd "$(dirname "$0")"
LOGS="$(mktemp -d)"
export LOGS
# Compilers, linters and tests live for seconds or minutes and collect nothing before they have 1 GiB: a fifth of their time.
export GOGC=off GOMEMLIMIT=1GiB
trap 'rm -rf "$LOGS"' EXIT

stage() {
  set -o pipefail
  [ "$1" = e2e ] || renice -n 10 $BASHPID >/dev/null
  TIMEFORMAT='%0R %U %S' # seconds: of the clock, of the processors for us, of the processors for the kernel
  { time make --no-print-directory "$1" 2>&1 | sed -u "s/^/$1: /" | tee "$LOGS/$1.log" >&3; } 3>&1 2>"$LOGS/$1.time" && touch "$LOGS/$1.passed"
}
export -f stage

slowest() {
  for json in "$LOGS"/*.json; do
    [ -s "$json" ] && go tool gotestsum tool slowest --num 10 --threshold 1s --jsonfile "$json" | sed "s/^/$(basename "$json" .json)  /"
  done
  [ -f "$LOGS/e2e.log" ] && grep -oE '[^ ]+\.spec\.js:[0-9]+:[0-9]+ › .*\([0-9.]+(s|m)\)$' "$LOGS/e2e.log" | awk '{t = $NF; gsub(/[()]/, "", t); print (t ~ /m$/ ? t * 60 : t + 0) "\te2e  " $0}' | sort -rn | head -n 10 | cut -f 2
}

passed=0 failed=()
for group in "$@"; do
  printf '%s\n' $group | xargs -P 2 -I{} bash -c 'stage {}'
  for name in $group; do
    if [ -f "$LOGS/$name.passed" ]; then passed=$((passed + 1)); else failed+=("$name"); fi
  done
  [ "${#failed[@]}" -eq 0 ] || break
done

echo
echo "The slowest tests:"
slowest
echo
printf '%-10s %8s %8s\n' stage seconds CPU
for group in "$@"; do
  for name in $group; do
    [ -s "$LOGS/$name.time" ] && awk -v name="$name" 'END {printf "%-10s %8.0f %8.0f\n", name, $1, $2 + $3}' "$LOGS/$name.time"
  done
done
printf '%-10s %8d\n' all "$SECONDS"

if [ -n "${CI:-}" ] && [ "$SECONDS" -gt 900 ]; then
  echo "warning: the tests took $((SECONDS / 60)) minutes, and more than 15 are too many"
fi
if [ -n "${CI:-}" ] && [ -z "${TEST_ALL:-}" ] && [ "$SECONDS" -gt 2400 ]; then
  echo "failed: the tests took $((SECONDS / 60)) minutes. Above 40 nobody waits for them: make the slowest of the table faster."
  failed+=("time")
fi
for name in ${failed[@]+"${failed[@]}"}; do
  [ -f "$LOGS/$name.log" ] && { echo; tail -n 150 "$LOGS/$name.log"; }
done
[ "${#failed[@]}" -eq 0 ] || echo "failed: ${failed[*]}"
echo "stages: $passed passed, ${#failed[@]} failed"
[ "${#failed[@]}" -eq 0 ]
