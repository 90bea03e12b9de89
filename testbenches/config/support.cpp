#include "testbenches/config/support.h"

#include "infragraph/load.h"

namespace weft {

const char* const small_box = R"(name: box
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 2, description: NVIDIA H100}
  - {name: nvsw, choice: switch, count: 2, description: NVSwitch}
  - {name: cpu, choice: cpu, count: 1, description: host}
  links:
  - {name: xpu_fabric, description: nvlink_4}
  - {name: pcie, description: PCIE_GEN5 x16}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nvsw}, scheme: many2many, link: xpu_fabric}
  - {ep1: {component: xpu}, ep2: {component: cpu}, scheme: many2many, link: pcie}
instances:
- {name: box, device: box, count: 1}
)";

std::shared_ptr<const Graph> graph_of(const std::string& text)
{
    return std::make_shared<const Graph>(load_infrastructure_text("box.yaml", text).graph);
}

SystemDescription described(const std::string& text)
{
    return read_system_text("system.yaml", "infrastructure: box.yaml\n" + text);
}

ResolvedSystem resolved(const std::string& system_lines, const std::vector<std::string>& sets,
    const std::string& document, const KnownNames& known)
{
    SystemDescription description = described(system_lines);
    for (const std::string& set : sets) description.sets.push_back(parse_set(set));
    return resolve(description, graph_of(document), known);
}

std::string error_of(const std::function<void()>& action)
{
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

std::string explained(const ResolvedSystem& system, const std::string& instance, const std::string& parameter)
{
    const std::size_t dot = parameter.find('.');
    const Block block = *system.blocks().find(parameter.substr(0, dot));
    const BlockInfo& info = system.blocks()[block];
    const std::size_t index = *info.find(parameter.substr(dot + 1));
    VariantId variant = no_variant;
    const std::size_t tilde = instance.find('~');
    if (info.title.owner == BlockOwner::system) {
        variant = system.system_variant(block);
    } else if (tilde != std::string::npos) {
        const auto edge = system.graph().find_edge(system.graph().find(instance.substr(0, tilde)).value(),
            system.graph().find(instance.substr(tilde + 1)).value());
        variant = system.link_variant(edge.value(), block);
    } else {
        variant = system.variant(system.graph().find(instance).value(), block);
    }
    const Variant& values = system.values(block, variant);
    return value_text(*info.parameters[index], values.values[index]) + " | " +
        system.source(values.sources[index]).text;
}

}  // namespace weft
