#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}

orders=engine.dimension_order=fixed,round_robin,offline_greedy,online_greedy
sweep() { "$weft" sweep "$here/system.yaml" --no-data "$@"; }

for rates in "10 10" "20 10" "40 10" "10 40"; do
    read -r inside across <<< "$rates"
    echo "== $inside GB/s inside, $across GB/s across =="
    sweep --set "links.inside.bandwidth=$inside GB/s" --set "links.across.bandwidth=$across GB/s" --over "$orders"
done
echo "== 20 GB/s inside, 10 GB/s across, smallest first =="
sweep --set "links.inside.bandwidth=20 GB/s" --set engine.dimension_queue=smallest_first --over "$orders"
