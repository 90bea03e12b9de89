#include "testbenches/fuzz/seeds.h"

#include "testbenches/chakra/trace_writer.h"

namespace weft::fuzz {

const char* const infrastructure = R"(name: fuzz
description: two boxes
devices:
- name: box
  components:
  - {name: xpu, count: 4, choice: xpu, description: NVIDIA H100}
  - {name: sw, count: 2, choice: switch, description: NVSwitch}
  - {name: slot, count: 2, choice: custom, custom: {type: slot}}
  - {name: card, count: 2, choice: device}
  links:
  - {name: xpu_fabric, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 70}}}
  - {name: pcie, description: PCIE_GEN5 x16}
  edges:
  - {ep1: {component: "xpu[0:4]"}, ep2: {component: sw}, scheme: many2many, link: xpu_fabric}
  - {ep1: {component: "xpu[0:2]"}, ep2: {component: slot}, scheme: one2one, link: pcie}
  - {ep1: {component: slot}, ep2: {device: "card[0:2]", component: bus}, scheme: one2one, link: pcie}
- name: card
  components:
  - {name: bus, count: 1, choice: port}
  - {name: port, count: 2, choice: port}
  links:
  - {name: wire}
  edges:
  - {ep1: {component: bus}, ep2: {component: port}, scheme: many2many, link: wire}
instances:
- {name: b, device: box, count: 2}
links:
- {name: trunk, description: Ethernet, physical: {bandwidth: {gigabits_per_second: 400}, latency: {ns: 300}}}
edges:
- {ep1: {instance: "b[0]", component: sw}, ep2: {instance: "b[1]", component: sw}, scheme: one2one, link: trunk}
)";

const char* const infrastructure_json = R"({"name": "fuzz", "devices": [{"name": "box", "components": [
{"name": "xpu", "count": 3, "choice": "xpu"}, {"name": "sw", "count": 1, "choice": "switch"}],
"links": [{"name": "wire", "physical": {"bandwidth": {"gigabytes_per_second": 50}, "latency": {"ns": 70}}}],
"edges": [{"ep1": {"component": "xpu"}, "ep2": {"component": "sw"}, "scheme": "many2many", "link": "wire"}]}],
"instances": [{"name": "b", "device": "box", "count": 1}], "links": [], "edges": []}
)";

const char* const system_file = R"(system: fuzz
infrastructure: doc.yaml
profile: h100
bind:
- {nodes: "*.sw.*", model: switch}
- {nodes: {component: xpu, type: xpu}, profile: a100}
links:
  xpu_fabric: {bandwidth: 100 GB/s, latency: 50 ns, request_credits: 64}
parameters:
  l2.size: 40 MiB
  "b.*.xpu.?.gpu.clock": 1755 MHz
  b.0.xpu.0~b.0.sw.1.link.header: 32
  "*.latency": 90 ns
routing: {path_selection: pairs, cycles: allow}
engine: {channels: 4}
seed: 7
workload: {collective: all_reduce, bytes: 2 MiB, algorithm: direct, type: bf16, reduction: max, ranks: 4}
)";

const char* const trace_json = R"({"schema": "1.0", "workload_graph": [
{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 5, "num_ops": 10, "tensor_size": 64, "data_deps": []},
{"Id": 2, "NodeType": 7, "comm_type": 0, "comm_size": 64, "is_cpu_op": false, "data_deps": [1]},
{"Id": 3, "NodeType": 2, "tensor_size": 4096, "data_deps": [1, 2]}]}
)";

std::vector<std::string> trace_messages(int rank)
{
    using namespace weft::chakra::testing;
    const int peer = 1 - rank;
    return {NodeText(1, 1).inputs(R"(['[{"pg_name": "1", "ranks": [0, 1]}]'])"),
        comp(2, 4).data({1}).integer("num_ops", 9).integer("tensor_size", 64),
        collective(3, 0, 1024, "1").data({2}).control({1}), NodeText(4, 2).integer("tensor_size", 64).data({3, 3}),
        send(5, peer, 3, 128).data({4}), recv(6, peer, 3, 128), NodeText(7, 7).flag("is_cpu_op", true).data({5, 6}),
        comp(200).data({7}), collective(201, 2, 7).data({200})};
}

}  // namespace weft::fuzz
