// A link of 112.5 GB/s and 70 ns of clocked endpoints: what fills it, and what model `link` says of the same.
#include <cmath>
#include <numeric>
#include <sstream>

#include "rtl/link/link_rtl.h"
#include "rtl/link/link_twin.h"
#include "rtl/modules/clocked_link.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t bandwidth = 112'500'000'000;
constexpr Time latency_ps = 70'000;
constexpr Time clock_ps = 142;       // 16 B
constexpr Time latency_clocks = 493;
constexpr Time wire_clocks = 491;    // two are the endpoints'

std::unique_ptr<LinkEndpoint> endpoint_twin(const LinkParams& params, const std::string&)
{
    return std::make_unique<LinkEndpointTwin>(params);
}
std::unique_ptr<LinkEndpoint> endpoint_rtl(const LinkParams& params, const std::string& path)
{
    return std::make_unique<LinkEndpointRtl>(params, path);
}

// As the profile of an H100 has it, with buffers that never hold anything up.
LinkSpec nvlink()
{
    LinkSpec spec;
    spec.bandwidth = bandwidth;
    spec.latency = latency_ps;
    spec.flit = spec.header = spec.byte_enable = 16;
    spec.request_credits = spec.response_credits = 4095;
    spec.replay_buffer = 2048;
    return spec;
}

FabricSystem::Options of(const LinkSpec& spec)
{
    FabricSystem::Options options;
    options.link = spec;
    return options;
}
FabricSystem::Options of(const LinkSpec& spec, const ClockedLink::Factory& make)
{
    FabricSystem::Options options = of(spec);
    options.make_link = [make](const std::string& name, Agenda& agenda, const LinkSpec& wanted, std::uint64_t seed) {
        return std::make_unique<ClockedLink>(name.c_str(), agenda, name, wanted, seed, make);
    };
    return options;
}

// When each of `lines` lines, all ready at time 0, comes out at the far end, ps.
std::vector<Time> arrivals(const FabricSystem::Options& options, unsigned lines, LineOp op = LineOp::write, unsigned size = 64)
{
    std::istringstream text(in_child([&] {
        FabricSystem system(two_ends(bandwidth), options);
        for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, op, 1, 64 * i, size);
        run_all(system);
        system.expect_clean();
        EXPECT_EQ(system.links[0]->problems(), std::vector<std::string>());
        std::string out;
        const auto& records = op == LineOp::read ? system.endpoints[0]->answered : system.endpoints[1]->served;
        for (const Endpoint::Record& record : records) out += std::to_string(record.at) + " ";
        return out;
    }));
    std::vector<Time> out;
    for (Time time; text >> time;) out.push_back(time);
    EXPECT_EQ(out.size(), lines);
    return out;
}

class ClockedNvlinkRtl : public RtlTest {};

// One line after the other without a gap; with answers of 2 flits on the wire back.
void expect_saturation(const ClockedLink::Factory& make)
{
    const std::vector<Time> times = arrivals(of(nvlink(), make), 2000);
    EXPECT_EQ(times[0], (6 + latency_clocks) * clock_ps);
    for (std::size_t i = 0; i < times.size(); ++i) ASSERT_EQ(times[i], times[0] + i * 6 * clock_ps) << i;
}

}  // namespace

TEST(ClockedNvlink, IsFullWithTheBuffersOfItsRoundTrip) { expect_saturation(endpoint_twin); }
TEST_F(ClockedNvlinkRtl, IsFullWithTheBuffersOfItsRoundTrip) { expect_saturation(endpoint_rtl); }

// A line's slot is free in the clock in which its answer goes out: a packet of 2 flits. One with an odd number tells the
// credit, a clock later than a control packet would; after one with an even number a control packet does, two clocks later.
// (With 164 and more, control packets that acknowledge answers take part of the clocks in which the wire waits.)
TEST(ClockedNvlink, TooFewCreditsAreCreditsByTheRoundTrip)
{
    const Time trip = 6 + 6 + 2 * wire_clocks;
    for (const unsigned credits : {41U, 100U, 127U, 160U}) {
        LinkSpec spec = nvlink();
        spec.request_credits = credits;
        const std::vector<Time> times = arrivals(of(spec, endpoint_twin), 30 * credits);
        const std::size_t from = 10 * credits;
        // An even number of credits: a line waits for the credit of one with a number that is as odd as its own.
        const Time two_trips = credits % 2 == 0 ? 2 * (trip + 2) : trip + 1 + trip + 2;
        EXPECT_EQ(times[from + 10 * credits] - times[from], 5 * two_trips * clock_ps) << credits;
    }
}

TEST(ClockedNvlink, TooSmallAReplayBufferIsPacketsByTheRoundTrip)
{
    const Time trip = 6 + 4 + 2 * wire_clocks;
    for (const unsigned packets : {31U, 100U, 128U, 160U}) {
        LinkSpec spec = nvlink();
        spec.replay_buffer = packets;
        const std::vector<Time> times = arrivals(of(spec, endpoint_twin), 30 * packets);
        const std::size_t from = 10 * packets;
        EXPECT_EQ(times[from + 10 * packets] - times[from], 10 * trip * clock_ps) << packets;
    }
}

namespace {

// ps of a read, an 8-byte write and a 64-byte write and their answers, alone in the fabric.
std::array<Time, 3> round_trips(const FabricSystem::Options& options)
{
    std::istringstream text(in_child([&] {
        FabricSystem system(two_ends(bandwidth), options);
        const Time apart = 1'000 * 1'000 * clock_ps / 100;  // on an edge
        system.endpoints[0]->issue(apart, LineOp::read, 1, 0);
        system.endpoints[0]->issue(2 * apart, LineOp::write, 1, 0, 8);
        system.endpoints[0]->issue(3 * apart, LineOp::write, 1, 0);
        run_all(system);
        system.expect_clean();
        std::string out;
        for (unsigned i = 0; i < 3; ++i) out += std::to_string(system.endpoints[0]->answered[i].at - (i + 1) * apart) + " ";
        return out;
    }));
    std::array<Time, 3> out{};
    for (Time& time : out) text >> time;
    return out;
}

// Mean ps from a line to the next, of lines 1000 to 3000.
double spacing(const FabricSystem::Options& options, LineOp op, unsigned size)
{
    const std::vector<Time> times = arrivals(options, 3001, op, size);
    return static_cast<double>(times[3000] - times[1000]) / 2000;
}

}  // namespace
