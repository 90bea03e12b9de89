#include "testbenches/engine/box_switch.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft::testing {

BoxSwitch::BoxSwitch(EventQueue& event_queue, LinePool& pool, const std::vector<std::unique_ptr<Gpu>>& gpus,
    const LinkSpec& link, const SwitchSpec& spec, unsigned port)
    : pool_(pool), gpus_(gpus), port_(port)
{
    const auto n = static_cast<unsigned>(gpus.size());
    std::vector<std::vector<std::uint16_t>> routes;
    for (unsigned g = 0; g < n; ++g) routes.push_back({static_cast<std::uint16_t>(g)});
    hub_ = std::make_unique<Switch>("hub", event_queue, "hub", spec, n, RouteTable(routes));
    for (unsigned g = 0; g < n; ++g) {
        links_.push_back(std::make_unique<Link>(("up" + std::to_string(g)).c_str(), event_queue, link));
        Link& wire = *links_.back();
        gpus[g]->output(port).set_credits(buffer_space(link));
        hub_->set_credits(g, buffer_space(link));
        gpus[g]->link_out(port).bind(wire.target(0));
        wire.initiator(0).bind(gpus[g]->link_in(port));
        hub_->initiator(g).bind(wire.target(1));
        wire.initiator(1).bind(hub_->target(g));
    }
}

std::uint16_t BoxSwitch::group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& outsiders,
    ElementType type, ReduceOp op)
{
    std::uint16_t& known = known_[{members, outsiders, type, op}];
    if (known != 0) return known;
    SwitchGroup made;
    made.id = static_cast<std::uint16_t>(first_group + known_.size() - 1);
    for (const std::uint32_t member : members) made.members.push_back(static_cast<std::uint16_t>(member));
    made.type = type;
    made.op = op;
    hub_->add_group(made, pool_);
    for (const std::vector<std::uint32_t>* users : {&members, &outsiders})
        for (const std::uint32_t user : *users) gpus_[user]->add_group(made.id, {static_cast<std::uint16_t>(port_)});
    return known = made.id;
}

std::uint64_t BoxSwitch::operations() const
{
    for (const Statistic& entry : hub_->statistics())
        if (entry.name == "group_operations") return static_cast<std::uint64_t>(entry.value);
    return 0;
}

}  // namespace weft::testing
