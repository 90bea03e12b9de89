// The switch around a foreign router: sockets of any bus width; one that was not connected is named. Traffic through it:
// testbenches/plugin.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/adapters/base_protocol_switch.h"

namespace base_protocol_switch_test {

using namespace weft;

namespace {

// Two ports, 64 bits wide, without anything behind them.
struct WideRouter : sc_core::sc_module {
    SC_HAS_PROCESS(WideRouter);
    explicit WideRouter(const sc_core::sc_module_name& name) : sc_module(name)
    {
        for (auto* socket : {&in0, &in1}) socket->register_b_transport(this, &WideRouter::take);
    }
    void take(tlm::tlm_generic_payload&, sc_core::sc_time&) {}

    tlm_utils::simple_target_socket<WideRouter, 64> in0{"in0"};
    tlm_utils::simple_target_socket<WideRouter, 64> in1{"in1"};
    tlm_utils::simple_initiator_socket<WideRouter, 64> out0{"out0"};
    tlm_utils::simple_initiator_socket<WideRouter, 64> out1{"out1"};
};

class WideSwitch final : public BaseProtocolSwitch {
public:
    WideSwitch(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, bool both)
        : BaseProtocolSwitch(name, event_queue, pool, "hub", {2, RouteTable({{0}, {1}}), {}, 0}), router_("router")
    {
        connect(0, router_.in0, router_.out0);
        if (both) connect(1, router_.in1, router_.out1);
    }

private:
    WideRouter router_;
};

std::string reports_with(bool both)
{
    return weft::testing::in_child([both] {
        const weft::testing::Reports reports;
        EventQueue event_queue("event_queue");
        LinePool pool;
        WideSwitch hub("hub", event_queue, pool, both);
        EXPECT_EQ(hub.output_of(global_address(1, 64)), 1U);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        return reports.all();
    });
}

}  // namespace

TEST(BaseProtocolSwitch, APortWithoutASocketOfTheRouterIsNamed)
{
    const std::string missing =
        "/weft/base_protocol_switch: hub: port 1 has no socket of the router; expected connect() "
        "of each";
    EXPECT_NE(reports_with(false).find(missing), std::string::npos) << reports_with(false);
    EXPECT_EQ(reports_with(true).find("/weft/base_protocol_switch"), std::string::npos) << reports_with(true);
}

}  // namespace base_protocol_switch_test
