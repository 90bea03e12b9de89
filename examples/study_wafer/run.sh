#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}
out=${1:-$here}
networks=$(mktemp -d)
trap 'rm -r -- "$networks"' EXIT

network() { "$weft" network "$2" --bandwidth "$3" --latency 500ns -o "$networks/$1.yaml"; }
network W-1D 'Switch(512)' 500GB/s
network W-2D 'Switch(32)_Switch(16)' 250GB/s
network Conv-3D 'Ring(16)_FullyConnected(8)_Switch(4)' 200GB/s,100GB/s,50GB/s
network Conv-4D 'Ring(2)_FullyConnected(8)_Ring(8)_Switch(4)' 250GB/s,200GB/s,100GB/s,50GB/s

sweep() {
    local system=$1
    shift
    "$weft" sweep --infra "$networks/$system.yaml" --profile generic --fidelity flow --collective all_reduce \
        --set routing.cycles=allow "$@" 2> >(grep -v ^notice: >&2)
}
whole() { sweep W-1D --algorithm halving_doubling "$@"; }
chunked() {
    local system=$1 dimensions=$2
    shift 2
    sweep "$system" --algorithm multi_dim --dimensions "$dimensions" "$@"
}
w2d=(W-2D a=32:recursive,b=16:recursive)
conv3d=(Conv-3D a=16,b=8:direct,c=4:recursive)
conv4d=(Conv-4D a=2,b=8:direct,c=8,d=4:recursive)

orders=engine.dimension_order=fixed,round_robin,offline_greedy

echo "== W-1D: rates of the links, and workgroups =="
whole --bytes 1GiB --over links.dim0.bandwidth=350GB/s,500GB/s,600GB/s --over engine.channels=32,64
for system in w2d conv3d conv4d; do
    declare -n of=$system
    echo "== ${of[0]}: order of the dimensions, and number of chunks =="
    chunked "${of[@]}" --bytes 1GiB --set engine.dimension_streams=4 --over "$orders" --over engine.dimension_chunks=16,64
done
echo "== Conv-3D: chunks in a dimension at a time, 64 chunks =="
chunked "${conv3d[@]}" --bytes 1GiB --set engine.dimension_chunks=64 --over "$orders" --over engine.dimension_streams=1,2,4
echo "== W-1D at 500 GB/s: latency of a link, and bytes around a packet =="
whole --bytes 1GiB --set engine.channels=64 --over links.dim0.latency=1ps,500ns,2us --over links.dim0.packet_overhead=0B,82B
echo "== sizes: W-1D at 500 GB/s =="
whole --set engine.channels=64 --over bytes=1MiB,32MiB,1GiB
echo "== sizes: Conv-4D, 16 chunks =="
chunked "${conv4d[@]}" --set engine.dimension_streams=4 --set engine.dimension_chunks=16 --over "$orders" \
    --over bytes=1MiB,4MiB,32MiB,256MiB,1GiB --svg "$out/sizes.svg" --title "All-reduce on Conv-4D, 512 accelerators: order of dimensions"
