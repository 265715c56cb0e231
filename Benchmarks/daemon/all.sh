#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All that is measured of petd, one after the other: an hour and a half, of which an hour is a conversation. Builds petd first, also the static one.
# Exit code 1 where a bound was passed; the results are written all the same.
set -eu
cd "$(dirname "$0")/../.."

swift build -c release --product petd
swift build -c release --static-swift-stdlib --scratch-path .build/static --product petd

failed=""
for program in idle hostile soak endurance throughput hour; do
  echo "== $program" >&2
  "Benchmarks/daemon/$program.py" || failed="$failed $program"
done
[ -z "$failed" ] || { echo "not as it should be:$failed" >&2; exit 1; }
