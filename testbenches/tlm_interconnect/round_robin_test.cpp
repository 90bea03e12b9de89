// Spreading in turn: equal ports carry equal shares whatever the addresses, and lines of one stream may overtake.
#include <random>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace round_robin_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Lines out of each spine of two leaves below four spines, when one endpoint writes one and the same line again and
// again to the other.
std::vector<std::uint64_t> spine_loads(PathSelection mode, unsigned lines)
{
    const Fabric fabric = two_tiers(2, 1, 4);
    FabricSystem system(fabric, {});
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 4096).choose_path(mode, i);
    sc_core::sc_start();
    system.expect_clean();
    std::vector<std::uint64_t> out;
    for (unsigned s = 0; s < 4; ++s) out.push_back(system.switches[s]->line_hops() / 2);
    return out;
}

// Lines of a stream from endpoint 0 to 4 that arrive after a later one, while endpoints 1 to 3 fill the first spine.
unsigned overtaken(PathSelection mode)
{
    const Fabric fabric = two_tiers(2, 4, 2);
    FabricSystem system(fabric, {});
    for (unsigned i = 0; i < 200; ++i) {
        for (unsigned e = 1; e < 4; ++e)
            system.endpoints[e]->issue(0, LineOp::write, 4 + e, 0).choose_path(PathSelection::none);
        system.endpoints[0]->issue(0, LineOp::write, 4, 0).choose_path(mode, i);
    }
    sc_core::sc_start();
    // Every link has kept its order: the checkers hold each of them to it.
    system.expect_clean();
    unsigned count = 0;
    std::uint32_t latest = 0;
    for (const Endpoint::Record& record : system.endpoints[4]->served) {
        count += record.tag < latest ? 1 : 0;
        latest = std::max(latest, record.tag);
    }
    return count;
}

}  // namespace

TEST(RoundRobin, EqualPortsCarryEqualShares)
{
    EXPECT_EQ(spine_loads(PathSelection::round_robin, 400), (std::vector<std::uint64_t>{100, 100, 100, 100}));
}

TEST(RoundRobin, ByAddressOneHotLineKeepsToOnePort)
{
    EXPECT_EQ(spine_loads(PathSelection::lines, 400), (std::vector<std::uint64_t>{400, 0, 0, 0}));
}

TEST(RoundRobin, SharesDifferByOneAtMost)
{
    EXPECT_EQ(spine_loads(PathSelection::round_robin, 402), (std::vector<std::uint64_t>{101, 101, 100, 100}));
}

TEST(RoundRobin, LinesOfOneStreamOvertakeEachOther) { EXPECT_GT(overtaken(PathSelection::round_robin), 0U); }
TEST(RoundRobin, ByAddressNoneOvertakes) { EXPECT_EQ(overtaken(PathSelection::lines), 0U); }

}  // namespace round_robin_test
