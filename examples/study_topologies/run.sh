#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=$(realpath -- "${WEFT:-$here/../../weft}")
out=$(realpath -- "${1:-$here}")
. "$here/networks.sh"
folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
cd "$folder"

all=system=full,ring,torus,switch,fat_tree,dragonfly
sweep() { "$weft" sweep --no-data --over "$all" "$@"; }

networks 16 4
echo "== 16 accelerators, lines and flow: all-reduce =="
sweep --collective all_reduce --over algorithm=ring,direct --over bytes=16KiB,1MiB --over fidelity=line,flow
echo "== 16 accelerators, lines and flow: all-to-all =="
sweep --collective all_to_all --algorithm direct --over bytes=16KiB,1MiB --over fidelity=line,flow
echo "== 16 accelerators, flow: all-reduce by direct =="
sweep --fidelity flow --collective all_reduce --algorithm direct --over bytes=4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB \
    --svg "$out/direct.svg" --title "All-reduce (direct) of 16 accelerators, equal bisection"
echo "== 16 accelerators, flow: 16 KiB by direct, latency of links and of what forwards =="
sweep --fidelity flow --collective all_reduce --algorithm direct --bytes 16KiB --over link.latency=1ps,100ns --over switch.latency=1ps,100ns
networks 256 16
echo "== 256 accelerators, flow: all-reduce =="
sweep --fidelity flow --collective all_reduce --over algorithm=direct,halving_doubling --over bytes=256KiB,64MiB
echo "== 256 accelerators, flow: all-to-all =="
sweep --fidelity flow --collective all_to_all --algorithm direct --over bytes=256KiB,64MiB
