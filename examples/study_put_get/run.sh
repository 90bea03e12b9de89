#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}
out=${1:-$here}

sweep() { "$weft" sweep "$here/system.yaml" --no-data --x bytes "$@"; }

echo "== reduce-scatter on 32 accelerators, 32 workgroups each =="
sweep --over algorithm=direct,direct_get --over bytes=256KiB,1MiB,2MiB --column l2.hits --column link.wire_bytes \
    --svg "$out/reduce_scatter.svg" --title "Reduce-scatter on 32 H100: put against get"
echo "== all-gather on 16 accelerators, 60 workgroups each =="
sweep --collective all_gather --ranks 16 --set engine.channels=60 --over algorithm=direct,direct_get \
    --over gpu.port_arbiter=arrival,round_robin --over bytes=256KiB,1MiB,2MiB --column link.wire_bytes \
    --svg "$out/all_gather.svg" --title "All-gather on 16 H100: put against get, two arbiters of ports"
