#include "platform/system/rtl_models.h"

#include "rtl/common/lockstep.h"
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/group_switch_twin.h"
#include "rtl/link/link_rtl.h"
#include "rtl/link/link_twin.h"
#include "rtl/modules/clocked_link.h"
#include "rtl/modules/clocked_switch.h"

namespace weft {

namespace {

using Block = ClockedSwitch::Block;
using Grouped = std::unique_ptr<GroupSwitchBlock>;

ModelRegistry::SwitchFactory clocked(ClockedSwitch::Factory make)
{
    return [make = std::move(make)](const RunContext& context, const SwitchRequest& request) {
        return std::make_unique<ClockedSwitch>(request.module_name.c_str(), context.agenda, request.path, request.spec,
            request.ports, request.routes, make);
    };
}

class GroupLockstep : public Lockstep<GroupSwitchBlock> {
public:
    using Lockstep::Lockstep;
    void set_group(const GroupEntry& entry) override
    {
        tested().set_group(entry);
        reference().set_group(entry);
    }
};

std::unique_ptr<Block> rtl(const SwitchBlockParameters& parameters, const std::string& path)
{
    return std::make_unique<SwitchRtl>(parameters, path);
}

Grouped rtl_grouped(const GroupSwitchParameters& parameters, const std::string& path)
{
    return std::make_unique<GroupSwitchRtl>(parameters, path);
}

std::unique_ptr<Block> twin(const SwitchBlockParameters& parameters, const std::string&)
{
    return std::make_unique<SwitchTwin>(parameters);
}

Grouped twin_grouped(const GroupSwitchParameters& parameters, const std::string&)
{
    return std::make_unique<GroupSwitchTwin>(parameters);
}

std::unique_ptr<Block> lockstep(const SwitchBlockParameters& parameters, const std::string& path)
{
    return std::make_unique<Lockstep<Block>>(rtl(parameters, path), twin(parameters, path), SwitchOut(parameters));
}

Grouped lockstep_grouped(const GroupSwitchParameters& parameters, const std::string& path)
{
    return std::make_unique<GroupLockstep>(rtl_grouped(parameters, path), twin_grouped(parameters, path), SwitchOut(parameters.outside));
}

std::unique_ptr<LinkEndpoint> link_twin(const LinkParams& params, const std::string&)
{
    return std::make_unique<LinkEndpointTwin>(params);
}

std::unique_ptr<LinkEndpoint> link_rtl(const LinkParams& params, const std::string& path)
{
    return std::make_unique<LinkEndpointRtl>(params, path);
}

// Flits of the two are compared as far as they go.
class LinkLockstep : public Lockstep<LinkEndpoint> {
public:
    LinkLockstep(const LinkParams& params, const std::string& path)
        : Lockstep(link_rtl(params, path), link_twin(params, path), LinkOut(), [bytes = params.flit_bytes](const LinkOut& a, const LinkOut& b) {
              return difference(a, b, bytes);
          })
    {
    }
};

std::unique_ptr<LinkEndpoint> link_lockstep(const LinkParams& params, const std::string& path)
{
    return std::make_unique<LinkLockstep>(params, path);
}

}  // namespace

std::unique_ptr<LinkModel> make_any_link(const std::string& module_name, Agenda& agenda, const std::string& path,
    const LinkSpec& spec, std::uint64_t seed)
{
    const auto clocked = [&](const ClockedLink::Factory& make) {
        return std::make_unique<ClockedLink>(module_name.c_str(), agenda, path, spec, seed, make);
    };
    switch (static_cast<LinkModelKind>(spec.model)) {
    case LinkModelKind::link_twin: return clocked(link_twin);
    case LinkModelKind::rtl_link: return clocked(link_rtl);
    case LinkModelKind::link_lockstep: return clocked(link_lockstep);
    case LinkModelKind::link: break;
    }
    return make_link(module_name.c_str(), agenda, path, spec, seed);
}

void add_rtl_models(ModelRegistry& registry)
{
    registry.add_switch("rtl_switch", "weft_group_switch.sv, verilated: virtual output queues, iSLIP or round robin, unit for groups",
        clocked({rtl, rtl_grouped}));
    registry.add_switch("switch_twin", "the same cycle behaviour as rtl_switch, in C++", clocked({twin, twin_grouped}));
    registry.add_switch("switch_lockstep", "rtl_switch and switch_twin side by side; stops at the first difference",
        clocked({lockstep, lockstep_grouped}));
}

}  // namespace weft
