# domains TOTAL SIZE FILE: writes the system file FILE and its document: TOTAL accelerators in domains of SIZE with a switch each,
# and one network that all of them have a port on.
domains() {
    local d
    {
        cat << END
name: domain
devices:
- name: domain
  components:
  - {name: xpu, choice: xpu, count: $1, description: accelerator}
  - {name: inside, choice: switch, count: $(($1 / $2)), description: switch}
  - {name: outside, choice: switch, count: 1, description: switch}
  links:
  - {name: up, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 450}, latency: {ns: 100}}}
  - {name: out, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 500}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: outside}, scheme: many2many, link: out}
END
        for ((d = 0; d < $1 / $2; ++d)); do
            echo "  - {ep1: {component: \"xpu[$((d * $2)):$((d * $2 + $2))]\"}, ep2: {component: \"inside[$d]\"}, scheme: many2many, link: up}"
        done
        echo "instances:"
        echo "- {name: net, device: domain, count: 1}"
    } > "$3.net"
    cat > "$3" << END
system: domain_$2
infrastructure: $3.net
profile: h100
bind:
- {nodes: {component: xpu}, kind: xpu}
- {nodes: {component: inside}, kind: switch}
- {nodes: {component: outside}, kind: switch}
workload:
  collective: all_reduce
  algorithm: hierarchical
  bytes: 256 MiB
  dimensions: "inside=$2:direct,outside=$(($1 / $2)):direct"
END
}
