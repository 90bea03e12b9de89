#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given. `run.sh cost` prints
# the processor time of each run instead, which differs from run to run.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=$(realpath -- "${WEFT:-$here/../../weft}")
out=${1:-$here}
[ "$out" = cost ] || out=$(realpath -- "$out")
folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
cd "$folder"

# Accelerators behind one switch.
for ranks in 2 4 8 16 32 64 128; do
    "$weft" network "Switch($ranks)" --bandwidth 450GB/s --latency 100ns -o "$ranks.net"
    cat > "$ranks" << END
system: switch_$ranks
infrastructure: $ranks.net
profile: h100
bind:
- {nodes: {component: xpu}, kind: xpu}
- {nodes: {component: sw0}, kind: switch}
links: {dim0: {protocol: nvlink_4}}
END
done

gather() { "$weft" "$@" --no-data --collective all_gather --algorithm ring; }
cost() { # fidelity, ranks, bytes
    TIMEFORMAT="$1 $2 $3: %U s"
    time gather run "$2" --fidelity "$1" --bytes "$3" --quiet
}
if [ "$out" = cost ]; then
    for ranks in 2 8 32 128; do cost line "$ranks" 1MiB; done
    for ranks in 2 8; do cost line "$ranks" 16MiB; done
    for ranks in 2 8 32 128; do for bytes in 1MiB 16MiB 256MiB; do cost flow "$ranks" "$bytes"; done; done
    exit
fi
echo "== flow =="
gather sweep --fidelity flow --over system=2,4,8,16,32,64,128 --over bytes=1MiB,4MiB,16MiB,64MiB,256MiB \
    --x bytes --svg "$out/all_gather.svg" --title "All-gather (ring) of 2 to 128 H100 behind a switch"
echo "== lines =="
gather sweep --over system=2,4,8,16,32,64,128 --bytes 1MiB
gather sweep --over system=2,4,8 --over bytes=4MiB,16MiB
