#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=$(realpath -- "${WEFT:-$here/../../weft}")
out=$(realpath -- "${1:-$here}")
folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
cd "$folder"
. "$here/domains.sh"

for size in 8 72 144 576; do domains 576 "$size" "$size"; done

sweep() { "$weft" sweep --fidelity flow --over system=8,72,144,576 "$@"; }

echo "== all-reduce of 576, hierarchical =="
sweep --over bytes=64KiB,1MiB,16MiB,256MiB,1GiB --column link.wire_bytes \
    --x bytes --svg "$out/all_reduce.svg" --title "All-reduce of 576 accelerators in domains of 8, 72, 144, 576"
echo "== all-to-all of 576 =="
sweep --collective all_to_all --algorithm direct --over bytes=1MiB,64MiB,1GiB \
    --x bytes --svg "$out/all_to_all.svg" --title "All-to-all of 576 accelerators in domains of 8, 72, 144, 576"
echo "== all-reduce of 256 MiB, rate of the network outside =="
sweep --over links.out.bandwidth=25GB/s,50GB/s,100GB/s,200GB/s
