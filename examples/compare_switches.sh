#!/usr/bin/env bash
# One sweep of traffic over a system, with our switch, our scheduled crossbar, a user's switch and a base-protocol router in
# turn. Builds the two plug-ins against the installed package first.
#
#   examples/compare_switches.sh PREFIX SYSTEM GLOB [OPTIONS of `weft fabric`]
#   examples/compare_switches.sh build/prefix examples/dgx_h100/system.yaml '*.nvsw.*' --loads 0.1:0.9:0.2
set -euo pipefail

if (($# < 3)); then
    echo "usage: compare_switches.sh PREFIX SYSTEM GLOB [OPTIONS of weft fabric]" >&2
    exit 2
fi
examples=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
prefix=$(cd -P -- "$1" && pwd)
system=$2
glob=$3
shift 3
weft=$prefix/bin/weft
built=${WEFT_PLUGIN_BUILD:-$prefix/plugins}

for example in user_switch base_protocol_router; do
    cmake -S "$examples/$example" -B "$built/$example" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >&2
    cmake --build "$built/$example" >&2
done

plugins=(--plugin "$built/user_switch/libmy_switch.so" --plugin "$built/base_protocol_router/libbase_router.so")
worst=0
for model in switch crossbar my_switch base_router; do
    printf '\n== %s ==\n' "$model"
    code=0
    "$weft" fabric "$system" "${plugins[@]}" --model "$glob=$model" "$@" || code=$?
    worst=$((code > worst ? code : worst))
done
exit "$worst"
