#!/usr/bin/env bash
# Runs this study. Its tables go to stdout. `run.sh large` runs 8,192 accelerators in place of 1,024 (a quarter of an hour).
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=$(realpath -- "${WEFT:-$here/../../weft}")
folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
cd "$folder"
. "$here/../study_scale_up/domains.sh"

# A step of RANKS: its operations and bytes, then its time in domains of these sizes.
step() { # ranks, sizes, name, options of weft workload
    local ranks=$1 sizes=$2 name=$3 size
    shift 3
    "$weft" workload "$@" -o trace | sed -n '1,/^traces/p'
    for size in ${sizes//,/ }; do domains "$ranks" "$size" "$size"; done
    echo "-- $name, $ranks accelerators: domains of $sizes --"
    "$weft" sweep --fidelity flow --over system="$sizes" --trace trace --groups trace_groups.json -j 1
    rm trace*
}
training() { # replicas
    step $((64 * $1)) 8,64 training training --model llama3_70b --layers 8 --tp 8 --pp 8 --dp "$1" --microbatches 2
}
decode() { # replicas, of which 32 share the experts
    step $((8 * $1)) 8,64,256 decode decode --model deepseek_v3 --layers 8 --tp 8 --sp --dp "$1" --ep 32 --context 4096 --microbatch 32
}
if [ "${1:-}" = large ]; then
    training 128
    decode 1024
    exit
fi
training 16
decode 128
