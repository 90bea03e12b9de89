#!/usr/bin/env bash
# Runs this study (minutes). Its table goes to stdout, its picture beside this file or into the folder given.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../weft}
out=${1:-$here}

"$weft" sweep "$here/system.yaml" --no-data --over algorithm=one_shot,ring,direct --over l2.size=8MiB,16MiB,32MiB,128MiB \
    --over bytes=256KiB,512KiB,1MiB,1536KiB,2MiB,3MiB --column l2.write_backs --column l2.misses --x bytes --svg "$out/l2_size.svg" \
    --title "All-reduce on eight accelerators: algorithm and L2 size"
