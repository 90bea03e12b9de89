#include "platform/assembly/switch_groups.h"

#include <algorithm>
#include <iterator>

#include "base/diagnostic.h"
#include "tlm_interconnect/switch/group_unit.h"

namespace weft {

SwitchGroups::SwitchGroups(System& system, const ResolvedSystem& resolved, const FabricPlan& plan)
    : SwitchGroups(&system, resolved, plan)
{
}

SwitchGroups::SwitchGroups(const ResolvedSystem& resolved, const FabricPlan& plan)
    : SwitchGroups(nullptr, resolved, plan)
{
}

SwitchGroups::SwitchGroups(System* system, const ResolvedSystem& resolved, const FabricPlan& plan)
    : system_(system), resolved_(resolved), plan_(plan), ports_(plan.fabric.ports()),
      numbers_(FabricModules::used_ports_of(plan)),
      trees_(
          plan, ports_, [this](NodeId node, std::size_t port) { return numbers_[node][port]; },
          [this](NodeId node) { return is_switch(node); },
          [this](std::uint32_t endpoint) -> const Attached& { return attached(endpoint); })
{
}

bool SwitchGroups::is_switch(NodeId node) const
{
    return plan_.used.nodes[node] && plan_.fabric.nodes[node].endpoint < 0 && !plan_.used.transit[node];
}

const SwitchGroups::Attached& SwitchGroups::attached(std::uint32_t endpoint)
{
    const auto found = attached_.find(endpoint);
    if (found != attached_.end()) return found->second;
    Attached& out = attached_[endpoint];
    const NodeId node = plan_.members[endpoint];
    // Behind a router of its own a member sees only that.
    if (plan_.used.transit[node]) return out;
    for (std::size_t p = 0; p < ports_[node].size(); ++p) {
        const int number = numbers_[node][p];
        const NodeId peer = ports_[node][p].peer;
        if (number >= 0 && is_switch(peer)) out[peer].push_back(static_cast<std::uint16_t>(number));
    }
    // A PCI Express switch, say, beside those that combine; one without groups by itself is refused where it is asked.
    const auto combines = [this](const auto& entry) { return resolved_.switch_of(entry.first).multicast_groups > 0; };
    if (std::none_of(out.begin(), out.end(), combines)) return out;
    for (auto entry = out.begin(); entry != out.end();) entry = combines(*entry) ? std::next(entry) : out.erase(entry);
    return out;
}

std::vector<NodeId> SwitchGroups::common_switches(const std::vector<std::uint32_t>& members)
{
    std::vector<NodeId> out;
    for (const auto& [node, ports] : attached(members.front())) {
        const auto has_it = [&, node = node](std::uint32_t member) { return attached(member).count(node) > 0; };
        if (std::all_of(members.begin(), members.end(), has_it)) out.push_back(node);
    }
    return out;
}

void SwitchGroups::refuse(const std::vector<std::uint32_t>& members)
{
    const auto name = [&](std::uint32_t member) { return plan_.fabric.nodes[plan_.members[member]].name; };
    const std::string expected = "members that share a switch, or whose switches share one, or an algorithm without "
                                 "multicast and reduction in switches";
    for (const std::uint32_t member : members)
        if (attached(member).empty())
            throw InputError("", 0,
                "no switch is attached to " + name(member) + ", so none can multicast and reduce for it", expected);
    for (const std::uint32_t member : members)
        if (common_switches({members.front(), member}).empty())
            throw InputError("", 0,
                "no switch is attached to both " + name(members.front()) + " and " + name(member) +
                    ", so none can multicast and reduce for them" + (trees_.why().empty() ? "" : ": ") + trees_.why(),
                expected);
    throw InputError("", 0,
        "no switch is attached to all of " + std::to_string(members.size()) + " members from " + name(members.front()) +
            " to " + name(members.back()) + (trees_.why().empty() ? "" : ": ") + trees_.why(),
        expected);
}

std::uint16_t SwitchGroups::group(const std::vector<std::uint32_t>& members,
    const std::vector<std::uint32_t>& outsiders, ElementType type, ReduceOp op)
{
    std::uint16_t& known = known_[{members, outsiders, type, op}];
    if (known != 0) return known;
    std::vector<std::uint32_t> users = members;
    users.insert(users.end(), outsiders.begin(), outsiders.end());
    const std::vector<NodeId> switches = common_switches(users);
    const bool trees = switches.empty() && trees_.find(members, outsiders);
    if (switches.empty() && !trees) refuse(users);

    std::vector<NodeId> nodes = switches;
    if (trees)
        for (const auto& [node, part] : trees_.parts()) nodes.push_back(node);
    SwitchGroup group;
    group.id = free_number(nodes, users);
    group.type = type;
    group.op = op;
    if (trees) {
        add_trees(group, users);
    } else {
        for (const std::uint32_t member : members) group.members.push_back(static_cast<std::uint16_t>(member));
        add_switches(group, switches, users);
    }
    return known = group.id;
}

// The first number that is free at all these switches and endpoints.
std::uint16_t SwitchGroups::free_number(std::vector<NodeId> nodes, const std::vector<std::uint32_t>& users)
{
    for (const std::uint32_t user : users) nodes.push_back(plan_.members[user]);
    std::uint16_t id = first_group;
    for (const NodeId node : nodes) id = std::max(id, next_.emplace(node, first_group).first->second);
    if (id == 0xffff)
        throw InputError("", 0, "more than " + std::to_string(id - first_group) + " groups", "fewer groups");
    for (const NodeId node : nodes) next_[node] = static_cast<std::uint16_t>(id + 1);
    return id;
}

// A model that cannot does not know its node's name.
template <class Add>
void SwitchGroups::at_node(NodeId node, const Add& add) const
{
    try {
        add();
    } catch (const InputError& error) {
        std::vector<Diagnostic> out = error.diagnostics();
        const std::string& name = resolved_.graph().node(node).name;
        for (Diagnostic& wrong : out)
            if (wrong.file.empty() && wrong.what.compare(0, name.size(), name) != 0)
                wrong.what = name + ": " + wrong.what;
        throw InputError(std::move(out));
    }
}

// As the module of the node would.
void SwitchGroups::take_place(NodeId node)
{
    const std::uint64_t limit = resolved_.switch_of(node).multicast_groups;
    if (resolved_.model(node) == "switch" && taken_[node]++ >= limit)
        throw group_table_full(plan_.fabric.nodes[node].name, limit);
}

void SwitchGroups::add_trees(const SwitchGroup& group, const std::vector<std::uint32_t>& users)
{
    for (const auto& [place, found] : trees_.parts()) {
        const NodeId node = place;
        if (system_ == nullptr) {
            take_place(node);
            continue;
        }
        GroupTier part = found;
        part.id = group.id;
        part.type = group.type;
        part.op = group.op;
        if (SwitchModel* const at = system_->fabric().switch_at(node))
            at_node(node, [&] { at->add_tier(part, system_->pool_at(node)); });
    }
    if (system_ == nullptr) return;
    for (const std::uint32_t user : users) system_->accelerators()[user]->add_group(group.id, trees_.ports_of(user));
}

void SwitchGroups::add_switches(const SwitchGroup& group, const std::vector<NodeId>& switches,
    const std::vector<std::uint32_t>& users)
{
    if (system_ == nullptr) {
        for (const NodeId node : switches) take_place(node);
        return;
    }
    for (const NodeId node : switches)
        if (SwitchModel* const at = system_->fabric().switch_at(node))
            at_node(node, [&] { at->add_group(group, system_->pool_at(node)); });
    for (const std::uint32_t user : users) {
        std::vector<std::uint16_t> ports;
        for (const NodeId node : switches) {
            std::size_t links = ~std::size_t{0};
            for (const std::uint32_t other : users) links = std::min(links, attached(other).at(node).size());
            const std::vector<std::uint16_t>& all = attached(user).at(node);
            ports.insert(ports.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(links));
        }
        system_->accelerators()[user]->add_group(group.id, ports);
    }
}

}  // namespace weft
