#include "platform/configuration/resolution/link_choice.h"

#include <algorithm>
#include <vector>

namespace weft {

namespace {

using Kinds = std::vector<std::string_view>;

struct Row {
    Kinds one;
    Kinds other;
    EndRule rule;
};

// The first row that fits counts.
const std::vector<Row>& rows()
{
    static const Kinds pcie{"pcie_switch", "pcie_slot", "pci_bridge"};
    static const Kinds cards{"nic", "nic_asic"};
    static const Kinds cpus{"cpu", "grace_cpu"};
    static const std::vector<Row> all{
        {{"xpu"}, {"xpu", "memory", "nvswitch", "scale_up_switch", "switch", "switch_asic", "port"},
            {"scale_up", true}},
        {pcie,
            {"xpu", "cpu", "grace_cpu", "nic", "nic_asic", "storage", "bmc", "pcie_switch", "pcie_slot", "pci_bridge",
                "other"},
            {"pcie", true}},
        {{"xpu"}, {"grace_cpu"}, {"nvlink_c2c", true}},
        {{"xpu", "cpu", "grace_cpu"}, cards, {"pcie", true}},
        {{"xpu"}, cpus, {"pcie", true}},
        {{"cpu", "grace_cpu", "nic", "nic_asic"}, {"storage", "bmc"}, {"pcie", true}},
        {{"bmc"}, {"mgmt_switch"}, {"oob", true}},
        {cpus, cpus, {"cpu_fabric", true}},
        {cpus, {"memory"}, {"ddr5", true}},
        {{"nic_asic", "switch_asic"}, {"port"}, {"ic", true}},
        {{"nvswitch"}, {"nvswitch"}, {"nvlink", false}},
        // How fast a network is follows from nothing.
        {{"nic", "nic_asic", "port", "switch", "switch_asic"}, {"nic", "nic_asic", "port", "switch", "switch_asic"},
            {"ethernet", false}},
    };
    return all;
}

bool contains(const Kinds& kinds, std::string_view kind)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace

bool in_scale_up_family(const std::string& family, const Profile* profile)
{
    return profile != nullptr && profile->scale_up.has(family);
}

const EndRule* rule_for_ends(std::string_view a, std::string_view b)
{
    for (const Row& row : rows())
        if ((contains(row.one, a) && contains(row.other, b)) || (contains(row.one, b) && contains(row.other, a)))
            return &row.rule;
    return nullptr;
}

bool can_be_scale_up_switch(std::string_view kind) { return contains({"nvswitch", "scale_up_switch", "switch"}, kind); }

}  // namespace weft
