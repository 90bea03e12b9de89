#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace link_test {

using namespace weft;
using namespace weft::testing;

namespace {

Time wire_time(const LinkSpec& spec, std::uint64_t bytes) { return bytes * 1'000'000'000'000 / spec.bandwidth; }

struct Expected {
    LineOp op;
    std::uint32_t size;
    std::uint32_t request;
    std::uint32_t response;
};

// Time of the answer to one read of a whole line over one link, with one parameter changed.
Time round_trip(std::uint64_t LinkSpec::*member = nullptr, std::uint64_t value = 0, LineOp op = LineOp::read,
    std::uint32_t size = 64, unsigned lines = 1)
{
    const std::string text = in_child([=] {
        FabricSystem::Options options;
        if (member != nullptr) options.link.*member = value;
        FabricSystem system(two_ends(options.link.bandwidth), options);
        for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, op, 1, 64 * i, size);
        sc_core::sc_start();
        system.expect_clean();
        return std::to_string(system.endpoints[0]->answered.back().at);
    });
    return text.empty() ? 0 : std::stoull(text);
}

}  // namespace

TEST(Link, WireBytesOfEveryOperationSizeAndClass)
{
    const LinkSpec spec;  // flit, header and byte enables of 16 B each
    for (const Expected& line : {Expected{LineOp::read, 64, 16, 80}, Expected{LineOp::read, 1, 16, 32},
             Expected{LineOp::read, 16, 16, 32}, Expected{LineOp::read, 17, 16, 48},
             Expected{LineOp::write, 64, 80, 16}, Expected{LineOp::write, 63, 96, 16},
             Expected{LineOp::write, 8, 48, 16}, Expected{LineOp::write, 33, 80, 16},
             Expected{LineOp::atomic, 8, 32, 16}, Expected{LineOp::await, 8, 32, 16}}) {
        EXPECT_EQ(wire_bytes(spec, line.op, line.size, LineClass::request), line.request)
            << name_of(line.op) << line.size;
        EXPECT_EQ(wire_bytes(spec, line.op, line.size, LineClass::response), line.response)
            << name_of(line.op) << line.size;
    }
    for (std::uint32_t size = 1; size <= 64; ++size) {
        EXPECT_EQ(payload_bytes(LineOp::read, size, LineClass::request), 0u);
        EXPECT_EQ(payload_bytes(LineOp::read, size, LineClass::response), size);
        EXPECT_EQ(payload_bytes(LineOp::write, size, LineClass::request), size);
        EXPECT_EQ(payload_bytes(LineOp::write, size, LineClass::response), 0u);
    }
    LinkSpec bare;
    bare.header = 0;
    bare.byte_enable = 0;
    bare.flit = 1;
    EXPECT_EQ(wire_bytes(bare, LineOp::write, 37, LineClass::request), 37u);
    EXPECT_EQ(wire_bytes(bare, LineOp::read, 37, LineClass::request), 0u);
}

TEST(Link, ReadIsSerialisationAndLatencyBothWays)
{
    const LinkSpec spec;
    EXPECT_EQ(round_trip(), wire_time(spec, 16) + spec.latency + wire_time(spec, 80) + spec.latency);
}

TEST(Link, PartialWriteCarriesByteEnables)
{
    const LinkSpec spec;
    EXPECT_EQ(round_trip(nullptr, 0, LineOp::write, 8),
        wire_time(spec, 48) + spec.latency + wire_time(spec, 16) + spec.latency);
}

TEST(Link, EveryParameterMovesTheRightNumberInTheRightDirection)
{
    const LinkSpec spec;
    const Time base = round_trip();
    EXPECT_EQ(round_trip(&LinkSpec::bandwidth, spec.bandwidth * 2), base - wire_time(spec, 96) / 2);
    EXPECT_EQ(round_trip(&LinkSpec::latency, spec.latency + 1), base + 2);
    EXPECT_EQ(round_trip(&LinkSpec::header, 32), base + wire_time(spec, 32));
    EXPECT_EQ(round_trip(&LinkSpec::flit, 128), base + wire_time(spec, 64));
    const Time partial = round_trip(nullptr, 0, LineOp::write, 8);
    EXPECT_EQ(round_trip(&LinkSpec::byte_enable, 32, LineOp::write, 8), partial + wire_time(spec, 16));
    EXPECT_EQ(round_trip(&LinkSpec::byte_enable, 32), base);
    // Two lines: with one request credit the second waits for it to come back (the target's service is
    // instant), with one response credit its answer waits.
    const Time two = round_trip(nullptr, 0, LineOp::read, 64, 2);
    EXPECT_EQ(two, base + wire_time(spec, 80));
    EXPECT_EQ(round_trip(&LinkSpec::request_credits, 1, LineOp::read, 64, 2),
        base + wire_time(spec, 16) + 2 * spec.latency);
    EXPECT_EQ(round_trip(&LinkSpec::response_credits, 1, LineOp::read, 64, 2),
        base + wire_time(spec, 80) + 2 * spec.latency);
}

TEST(Link, ThroughputIsTheBandwidthWhenCreditsCoverTheRoundTrip)
{
    FabricSystem::Options options;
    FabricSystem system(two_ends(), options);
    constexpr unsigned lines = 2000;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const LinkSpec& spec = options.link;
    EXPECT_EQ(system.endpoints[1]->served.back().at, lines * wire_time(spec, 80) + spec.latency);
    const Link::Direction out = system.links[0]->direction(0);
    EXPECT_EQ(out.lines, lines);
    EXPECT_EQ(out.wire_bytes, lines * 80u);
    EXPECT_EQ(out.payload_bytes, lines * 64u);
    EXPECT_EQ(out.busy, lines * wire_time(spec, 80));
    const Link::Direction back = system.links[0]->direction(1);
    EXPECT_EQ(back.wire_bytes, lines * 16u);
    EXPECT_EQ(back.payload_bytes, 0u);
    system.links[0]->reset_statistics();
    for (const Statistic& statistic : system.links[0]->statistics()) EXPECT_EQ(statistic.value, 0) << statistic.name;
}

// Whether a line is like the one before it changes nothing of what is counted, nor when the count is read.
TEST(Link, LinesOfKindsInTurnAreCountedAsLinesOfOneKind)
{
    FabricSystem::Options options;
    FabricSystem system(two_ends(), options);
    const LinkSpec& spec = options.link;
    std::uint64_t wire[2] = {};
    std::uint64_t payload[2] = {};
    unsigned count = 0;
    for (const unsigned run : {1U, 2U, 5U, 1U, 1U, 3U, 8U})
        for (const auto& [op, size] : {std::pair{LineOp::write, 64U}, std::pair{LineOp::read, 64U},
                 std::pair{LineOp::write, 8U}, std::pair{LineOp::atomic, 8U}})
            for (unsigned i = 0; i < run; ++i, ++count) {
                system.endpoints[0]->issue(0, op, 1, 64 * count, size);
                for (const LineClass cls : {LineClass::request, LineClass::response}) {
                    wire[static_cast<unsigned>(cls)] += wire_bytes(spec, op, size, cls);
                    payload[static_cast<unsigned>(cls)] += payload_bytes(op, size, cls);
                }
            }
    sc_core::sc_start();
    system.expect_clean();
    for (const unsigned end : {0U, 1U}) {
        const Link::Direction direction = system.links[0]->direction(end);
        EXPECT_EQ(direction.lines, count);
        EXPECT_EQ(direction.wire_bytes, wire[end]);
        EXPECT_EQ(direction.payload_bytes, payload[end]);
    }
    system.links[0]->reset_statistics();
    for (const Statistic& statistic : system.links[0]->statistics()) EXPECT_EQ(statistic.value, 0) << statistic.name;
}

TEST(Link, ThroughputIsCreditsTimesSizeOverTheRoundTripWhenTheyDoNot)
{
    FabricSystem::Options options;
    options.link.request_credits = 8;
    options.service = 30'000;
    FabricSystem system(two_ends(), options);
    constexpr unsigned lines = 800;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const LinkSpec& spec = options.link;
    // A slot: first bit out, wire, latency, service, credit back. Eight lines per such time, exactly.
    const Time slot = wire_time(spec, 80) + spec.latency + options.service + spec.latency;
    const auto& served = system.endpoints[1]->served;
    for (unsigned i = 0; i < lines; ++i)
        ASSERT_EQ(served[i].at, i / 8 * slot + (i % 8 + 1) * wire_time(spec, 80) + spec.latency) << i;
    EXPECT_GT(system.endpoints[0]->output(0).credit_stall(), 0u);
}

TEST(Link, ResponsesAreLimitedByTheirOwnCredits)
{
    FabricSystem::Options options;
    options.link.response_credits = 4;
    FabricSystem system(two_ends(), options);
    system.endpoints[0]->hold_answers(50'000);
    constexpr unsigned lines = 400;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::read, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const LinkSpec& spec = options.link;
    const Time slot = wire_time(spec, 80) + spec.latency + 50'000 + spec.latency;
    const auto& answered = system.endpoints[0]->answered;
    for (unsigned i = 4; i < lines; ++i) ASSERT_EQ(answered[i].at - answered[i - 4].at, slot) << i;
}

TEST(Link, RequestsAndResponsesShareTheWireAndAlternate)
{
    FabricSystem::Options options;
    FabricSystem system(two_ends(), options);
    constexpr unsigned lines = 1000;
    for (unsigned end = 0; end < 2; ++end)
        for (unsigned i = 0; i < lines; ++i) system.endpoints[end]->issue(0, LineOp::write, 1 - end, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    const LinkSpec& spec = options.link;
    for (unsigned end = 0; end < 2; ++end) {
        EXPECT_EQ(system.links[0]->direction(end).wire_bytes, lines * 96u);
        EXPECT_EQ(system.links[0]->direction(end).busy, lines * wire_time(spec, 96));
        // Between two answers there is one request on the wire while there are any.
        const auto& answered = system.endpoints[end]->answered;
        for (unsigned i = 100; i < 900; ++i) ASSERT_EQ(answered[i].at - answered[i - 1].at, wire_time(spec, 96)) << i;
    }
}

TEST(Link, BandwidthThatDoesNotDivideEvenly)
{
    FabricSystem::Options options;
    options.link.header = 0;
    options.link.request_credits = 65535;
    options.link.response_credits = 65535;
    FabricSystem system(two_ends(900'000'000'000), options);
    constexpr unsigned lines = 9000;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    EXPECT_EQ(system.endpoints[1]->served.back().at, 640'000u + options.link.latency);  // 71.1 ps each
}

}  // namespace link_test
