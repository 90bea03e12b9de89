#include "platform/system/rtl_models.h"

#include "rtl/common/lockstep.h"
#include "rtl/modules/clocked_switch.h"
#include "rtl/switch/switch_rtl.h"
#include "rtl/switch/switch_twin.h"

namespace weft {

namespace {

using Block = ClockedSwitch::Block;

ModelRegistry::SwitchFactory clocked(ClockedSwitch::Factory make)
{
    return [make = std::move(make)](const RunContext& context, const SwitchRequest& request) {
        return std::make_unique<ClockedSwitch>(request.module_name.c_str(), context.agenda, request.path, request.spec,
            request.ports, request.routes, make);
    };
}

std::unique_ptr<Block> rtl(const SwitchBlockParameters& parameters, const std::string& path)
{
    return std::make_unique<SwitchRtl>(parameters, path);
}

std::unique_ptr<Block> twin(const SwitchBlockParameters& parameters, const std::string&)
{
    return std::make_unique<SwitchTwin>(parameters);
}

std::unique_ptr<Block> lockstep(const SwitchBlockParameters& parameters, const std::string& path)
{
    return std::make_unique<Lockstep<SwitchIn, SwitchOut>>(rtl(parameters, path), twin(parameters, path), SwitchOut(parameters));
}

}  // namespace

void add_rtl_models(ModelRegistry& registry)
{
    registry.add_switch("rtl_switch", "weft_switch.sv, verilated: virtual output queues, iSLIP or round robin, clocked", clocked(rtl));
    registry.add_switch("switch_twin", "the same cycle behaviour as rtl_switch, in C++", clocked(twin));
    registry.add_switch("switch_lockstep", "rtl_switch and switch_twin side by side; stops at the first difference",
        clocked(lockstep));
}

}  // namespace weft
