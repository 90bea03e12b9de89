# Writes the documents and system files of this study: networks RANKS SIDE, with RANKS = SIDE x SIDE, into this folder.
# In every network the links between two halves of the accelerators together have 50 GB/s for each accelerator, in each
# direction. Links and switches have 100 ns.

# Accelerators behind `side` switches (leaves, or routers of groups), links among these from stdin.
tiers() { # name, ranks, side, GB/s of an accelerator's link, of a link between switches
    local g
    cat << END
name: $1
devices:
- name: $1
  components:
  - {name: xpu, choice: xpu, count: $2, description: accelerator}
  - {name: leaf, choice: switch, count: $3, description: switch}
  - {name: spine, choice: switch, count: $3, description: switch}
  links:
  - {name: port, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: $4}, latency: {ns: 100}}}
  - {name: trunk, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: $5}, latency: {ns: 100}}}
  edges:
END
    for ((g = 0; g < $3; ++g)); do
        echo "  - {ep1: {component: \"xpu[$((g * $3)):$((g * $3 + $3))]\"}, ep2: {component: \"leaf[$g]\"}, scheme: many2many, link: port}"
    done
    cat
    echo "instances:"
    echo "- {name: net, device: $1, count: 1}"
}

system() { # name, routing; names of links
    local name=$1 routing=$2
    shift 2
    cat << END
system: $name
infrastructure: $name.net
profile: generic
bind:
- {nodes: {component: xpu}, kind: xpu}
$(for switch in sw0 leaf spine; do grep -q "name: $switch," "$name.net" && echo "- {nodes: {component: $switch}, kind: switch}"; done)
$([ $# = 0 ] || echo "links:")
$(for link in "$@"; do echo "  $link: {protocol: nvlink_4}"; done)
routing: {$routing}
parameters: {link.vc_sets: 2}
END
}

networks() {
    local ranks=$1 side=$2 g
    local half=$((ranks / 2))
    local total=$((half * 100))
    one() { "$weft" network "$2" --bandwidth "$3GB/s" --latency 100ns -o "$1.net"; }
    one full "FullyConnected($ranks)" "$(awk "BEGIN {print $total / ($half * $half)}")"
    one ring "Ring($ranks)" $((total / 2))
    one torus "Ring($side)_Ring($side)" $((total / (2 * side)))
    one switch "Switch($ranks)" 100
    # Every leaf has a link to every spine.
    echo '  - {ep1: {component: leaf}, ep2: {component: spine}, scheme: many2many, link: trunk}' |
        tiers fat_tree "$ranks" "$side" 100 100 > fat_tree.net
    # Every group has one router, with a link to each other group's.
    for ((g = 0; g + 1 < side; ++g)); do
        echo "  - {ep1: {component: \"leaf[$g]\"}, ep2: {component: \"leaf[$((g + 1)):$side]\"}, scheme: many2many, link: trunk}"
    done | tiers dragonfly "$ranks" "$side" 100 $((total * 4 / (side * side))) | grep -v 'name: spine' > dragonfly.net
    system full "policy: minimal" dim0 > full
    system ring "policy: dimension_order" dim0 > ring
    system torus "policy: dimension_order" dim0 dim1 > torus
    system switch "policy: minimal" dim0 > switch
    system fat_tree "policy: minimal" > fat_tree
    system dragonfly "policy: minimal" > dragonfly
}
