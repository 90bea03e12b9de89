// Fabrics whose switches are clocked blocks.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rtl/common/lockstep.h"
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/reference_group_switch.h"
#include "rtl/modules/clocked_switch.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace weft::testing {

inline std::unique_ptr<ClockedSwitch::Block> reference(const SwitchBlockParameters& parameters, const std::string&)
{
    return std::make_unique<ReferenceSwitch>(parameters);
}
inline std::unique_ptr<ClockedSwitch::Block> rtl(const SwitchBlockParameters& parameters, const std::string& path)
{
    return std::make_unique<SwitchRtl>(parameters, path);
}

// Switches of half a nanosecond without a group unit; links carry a line in a clock and a bit, so that no two come
// in one.
template <class Make>
FabricSystem::Options clocked(const Make& make)
{
    FabricSystem::Options options;
    options.switches.clock = 500;
    options.switches.latency = 20'000;
    options.switches.traversal = 500;
    options.switches.transfer = 500;
    options.switches.credit_delay = 500;
    options.switches.multicast_groups = 0;
    options.link.latency = 10'000;
    options.link.request_credits = 24;
    options.link.response_credits = 24;
    options.link.merge = MergeKind::none;
    options.make = [make](const std::string& name, EventQueue& event_queue, const SwitchSpec& spec, unsigned ports,
                       RouteTable routes) {
        return std::make_unique<ClockedSwitch>(name.c_str(), event_queue, name, spec, ports, std::move(routes),
            ClockedSwitch::Factory{make, nullptr});
    };
    return options;
}

inline void run_all(FabricSystem& system)
{
    while (!system.event_queue.idle() && !system.event_queue.stopped()) sc_core::sc_start();
}

}  // namespace weft::testing
