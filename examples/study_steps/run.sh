#!/usr/bin/env bash
# Runs this study. Its tables go to stdout. `run.sh large` runs 8,192 accelerators in place of 1,024 (many minutes).
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=$(realpath -- "${WEFT:-$here/../../weft}")
folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
cd "$folder"
. "$here/../study_scale_up/domains.sh"

# A step of RANKS: its operations and bytes, then its time in domains of 8 and of 64.
step() { # ranks, name, options of weft workload
    local ranks=$1 name=$2
    shift 2
    "$weft" workload "$@" -o trace | sed -n '1,/^traces/p'
    domains "$ranks" 8 8
    domains "$ranks" 64 64
    echo "-- $name, $ranks accelerators: domains of 8 and of 64 --"
    "$weft" sweep --fidelity flow --over system=8,64 --trace trace --groups trace_groups.json -j 1
    rm trace*
}
training() { # replicas
    step $((64 * $1)) training training --model llama3_70b --layers 8 --tp 8 --pp 8 --dp "$1" --microbatches 2
}
if [ "${1:-}" = large ]; then
    training 128
    exit
fi
training 16
