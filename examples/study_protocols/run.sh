#!/usr/bin/env bash
# Runs this study (minutes). Its tables go to stdout, its pictures beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}
out=${1:-$here}

# A way is two links: 0.5 and 5 us.
sweep() {
    "$weft" sweep "$here/system.yaml" --no-data --over link.latency=250ns,2500ns "$@"
}

narrow=bytes=64KiB,256KiB,512KiB,1MiB,2MiB,4MiB
wide=bytes=256KiB,1MiB,2MiB,4MiB,8MiB,16MiB
echo "== 256 GiB/s, fences as long as their acknowledges =="
sweep --over engine.protocol=simple,ll --over "$narrow"
echo "== 256 GiB/s, fences of 1.7 us more =="
sweep --over engine.protocol=simple,ll --over "$narrow" --set gpu.fence_latency=1700ns --x bytes --svg "$out/narrow.svg" \
    --title "LL against Simple at 256 GiB/s, ways of 0.5 and 5 us"
echo "== 1 TiB/s, fences as long as their acknowledges =="
sweep --over engine.protocol=simple,ll --over "$wide" --set link.bandwidth=274.877906944GB/s
echo "== 1 TiB/s, fences of 1.7 us more =="
sweep --over engine.protocol=simple,ll --over "$wide" --set link.bandwidth=274.877906944GB/s --set gpu.fence_latency=1700ns --x bytes --svg "$out/wide.svg" \
    --title "LL against Simple at 1 TiB/s, ways of 0.5 and 5 us"
echo "== LL128, 256 GiB/s, without and with a fence before each step =="
sweep --over bytes=64KiB,1MiB,4MiB --set gpu.fence_latency=1700ns --over engine.ll128_fence=off,on --set engine.protocol=ll128
