#!/usr/bin/env bash
# Runs this study. Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}
out=${1:-$here}
policies=gpu.wait_policy=spin,backoff,monitor,waiting_atomic

sweep() { "$weft" sweep "$here/system.yaml" --no-data --column gpu.flag_reads --column link.flag_bytes "$@"; }

echo "== the wait stretched from 0 to 40 us =="
sweep --over "$policies" --over delay=7=0us,7=5us,7=10us,7=20us,7=40us --y gpu.flag_reads --svg "$out/flag_reads.svg" \
    --title "Looks at flags while rank 7 is late"
echo "== flags at the rank that waits, or at the one that signals; rank 7 late by 20 us =="
sweep --over engine.flag_home=waiter,signaller --over "$policies" --delay 7=20us
echo "== the race of the monitor: its time-out, rank 7 late by 20 us =="
sweep --set gpu.wait_policy=monitor --over l2.monitor_timeout=1us,10us,100us --delay 7=20us --column l2.flag_timeouts
