#include "testbenches/process/fixtures.h"

#include <algorithm>
#include <filesystem>

#include "base/text_file.h"

namespace weft::commands_test {

namespace {

const char* const pair_document = R"(name: pair
devices:
- name: card
  components:
  - {name: xpu, choice: xpu, count: 2, description: accelerator}
  links:
  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}
  edges:
  - {ep1: {component: "xpu[0]"}, ep2: {component: "xpu[1]"}, scheme: one2one, link: wire}
instances:
- {name: host, device: card, count: 1}
)";

const char* const system_file = R"(system: pair
infrastructure: pair.yaml
profile: generic
workload: {collective: all_reduce, bytes: 4 KiB}
)";

}  // namespace

Fixtures::Fixtures()
{
    write("pair.yaml", pair_document);
    write("pair_system.yaml", system_file);
}

std::string Fixtures::write(const std::string& name, const std::string& text) const
{
    write_text_file(path(name), text);
    return path(name);
}

std::string Fixtures::read(const std::string& name) const { return read_text_file(path(name)); }

std::vector<std::string> Fixtures::names() const
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace weft::commands_test
