#include "platform/system/rtl_models.h"

#include "rtl/common/lockstep.h"
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/group_switch_twin.h"
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

}  // namespace

void add_rtl_models(ModelRegistry& registry)
{
    registry.add_switch("rtl_switch", "weft_group_switch.sv, verilated: virtual output queues, iSLIP or round robin, unit for groups",
        clocked({rtl, rtl_grouped}));
    registry.add_switch("switch_twin", "the same cycle behaviour as rtl_switch, in C++", clocked({twin, twin_grouped}));
    registry.add_switch("switch_lockstep", "rtl_switch and switch_twin side by side; stops at the first difference",
        clocked({lockstep, lockstep_grouped}));
}

}  // namespace weft
