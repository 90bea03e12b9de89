#!/usr/bin/env bash
# Runs this study. Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}
out=${1:-$here}

sweep() { "$weft" sweep "$here/system.yaml" --no-data "$@"; }

echo "== instructions in flight per wavefront =="
sweep --over bytes=16KiB,256KiB,4MiB --over engine.unroll=1,2,4,8,16 --x engine.unroll --svg "$out/unroll.svg" \
    --title "Ring all-gather on eight H100: what unrolling buys"
echo "== lines in flight per unit, unroll 8 =="
sweep --over bytes=16KiB,256KiB,4MiB --over gpu.outstanding=16,32,64,128,256,512 --set engine.unroll=8 --x gpu.outstanding \
    --svg "$out/outstanding.svg" --title "Ring all-gather on eight H100: what the limit of a unit costs"
echo "== all-to-all: one wavefront sends to seven peers =="
sweep --collective all_to_all --algorithm direct --bytes 16KiB --over engine.unroll=1,2,4,8,16
