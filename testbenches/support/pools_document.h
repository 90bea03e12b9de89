// Two accelerators around a switch, and memory pools on it.
#pragma once

#include <string>

namespace weft::testing {

inline std::string pools_document(unsigned pools)
{
    return R"(name: pools
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 2, description: accelerator}
  - {name: sw, choice: switch, count: 1, description: switch}
  - {name: pool, choice: memory, count: )" +
        std::to_string(pools) + R"(, description: memory}
  links:
  - {name: lane, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 100}, latency: {ns: 70}}}
  - {name: port, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 90}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: lane}
  - {ep1: {component: pool}, ep2: {component: sw}, scheme: many2many, link: port}
instances:
- {name: box, device: box, count: 1}
)";
}

}  // namespace weft::testing
