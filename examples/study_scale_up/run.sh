#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=$(realpath -- "${WEFT:-$here/../../weft}")
out=$(realpath -- "${1:-$here}")
folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
cd "$folder"

# 576 accelerators in domains of SIZE with a switch each, and one network that all of them have a port on.
domains() { # size
    local d
    cat << END
name: domain
devices:
- name: domain
  components:
  - {name: xpu, choice: xpu, count: 576, description: accelerator}
  - {name: inside, choice: switch, count: $((576 / $1)), description: switch}
  - {name: outside, choice: switch, count: 1, description: switch}
  links:
  - {name: up, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 450}, latency: {ns: 100}}}
  - {name: out, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 500}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: outside}, scheme: many2many, link: out}
END
    for ((d = 0; d < 576 / $1; ++d)); do
        echo "  - {ep1: {component: \"xpu[$((d * $1)):$((d * $1 + $1))]\"}, ep2: {component: \"inside[$d]\"}, scheme: many2many, link: up}"
    done
    echo "instances:"
    echo "- {name: net, device: domain, count: 1}"
}

for size in 8 72 144 576; do
    domains "$size" > "$size.net"
    cat > "$size" << END
system: domain_$size
infrastructure: $size.net
profile: h100
bind:
- {nodes: {component: xpu}, kind: xpu}
- {nodes: {component: inside}, kind: switch}
- {nodes: {component: outside}, kind: switch}
workload:
  collective: all_reduce
  algorithm: hierarchical
  bytes: 256 MiB
  dimensions: "inside=$size:direct,outside=$((576 / size)):direct"
END
done

sweep() { "$weft" sweep --fidelity flow --over system=8,72,144,576 "$@"; }

echo "== all-reduce of 576, hierarchical =="
sweep --over bytes=64KiB,1MiB,16MiB,256MiB,1GiB --column link.wire_bytes \
    --x bytes --svg "$out/all_reduce.svg" --title "All-reduce of 576 accelerators in domains of 8, 72, 144, 576"
echo "== all-to-all of 576 =="
sweep --collective all_to_all --algorithm direct --over bytes=1MiB,64MiB,1GiB \
    --x bytes --svg "$out/all_to_all.svg" --title "All-to-all of 576 accelerators in domains of 8, 72, 144, 576"
echo "== all-reduce of 256 MiB, rate of the network outside =="
sweep --over links.out.bandwidth=25GB/s,50GB/s,100GB/s,200GB/s
