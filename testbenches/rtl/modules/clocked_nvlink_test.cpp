// A link of 112.5 GB/s and 70 ns of clocked endpoints: what fills it, and what model `link` says of the same.
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "rtl/link/link_rtl.h"
#include "rtl/link/reference_link_endpoint.h"
#include "rtl/modules/clocked_link.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

namespace clocked_nvlink_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t bandwidth = 112'500'000'000;
constexpr Time latency_ps = 70'000;
constexpr Time clock_ps = 142;  // 16 B
constexpr Time latency_clocks = 493;
constexpr Time wire_clocks = 491;  // two are the endpoints'

std::unique_ptr<LinkEndpoint> reference_endpoint(const LinkParams& params, const std::string&)
{
    return std::make_unique<ReferenceLinkEndpoint>(params);
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
    options.make_link = [make](const std::string& name, EventQueue& event_queue, const LinkSpec& wanted,
                            std::uint64_t seed) {
        return std::make_unique<ClockedLink>(name.c_str(), event_queue, name, wanted, seed, make);
    };
    return options;
}

// When each of `lines` lines, all ready at time 0, comes out at the far end, ps.
std::vector<Time> arrivals(const FabricSystem::Options& options, unsigned lines, LineOp op = LineOp::write,
    unsigned size = 64)
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

TEST(ClockedNvlink, IsFullWithTheBuffersOfItsRoundTrip) { expect_saturation(reference_endpoint); }
TEST_F(ClockedNvlinkRtl, IsFullWithTheBuffersOfItsRoundTrip) { expect_saturation(endpoint_rtl); }

// A line's slot is free in the clock in which its answer goes out: a packet of 2 flits. One with an odd number tells the
// credit, a clock later than a control packet would; after one with an even number a control packet does, two clocks later.
// (Closer to what fills it, a control packet that acknowledges an answer may be on the wire when the next line could be.)
TEST(ClockedNvlink, TooFewCreditsAreCreditsByTheRoundTrip)
{
    const Time trip = 6 + 6 + 2 * wire_clocks;
    for (const unsigned credits : {41U, 100U, 127U}) {
        LinkSpec spec = nvlink();
        spec.request_credits = credits;
        const std::vector<Time> times = arrivals(of(spec, reference_endpoint), 30 * credits);
        const std::size_t from = 10 * credits;
        // An even number of credits: a line waits for the credit of one with a number that is as odd as its own.
        const Time two_trips = credits % 2 == 0 ? 2 * (trip + 2) : trip + 1 + trip + 2;
        EXPECT_EQ(times[from + 10 * credits] - times[from], 5 * two_trips * clock_ps) << credits;
    }
}

TEST(ClockedNvlink, TooSmallAReplayBufferIsPacketsByTheRoundTrip)
{
    const Time trip = 6 + 4 + 2 * wire_clocks;
    for (const unsigned packets : {31U, 100U, 128U}) {
        LinkSpec spec = nvlink();
        spec.replay_buffer = packets;
        const std::vector<Time> times = arrivals(of(spec, reference_endpoint), 30 * packets);
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
        for (unsigned i = 0; i < 3; ++i)
            out += std::to_string(system.endpoints[0]->answered[i].at - (i + 1) * apart) + " ";
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

// Alone: the reference model's packets have 24 B beside their data, 8-byte data share a flit with the header, flits
// are a clock of a whole picosecond, and latency is whole clocks.
TEST(LinkAgainstReference, AloneInTheFabric)
{
    const auto flits = [](unsigned count) { return count * clock_ps + latency_clocks * clock_ps; };
    const std::array<Time, 3> clocked = round_trips(of(nvlink(), reference_endpoint));
    // And a clock until the answer is on the pins.
    EXPECT_EQ(clocked,
        (std::array<Time, 3>{flits(2) + clock_ps + flits(6), flits(2) + clock_ps + flits(2),
            flits(6) + clock_ps + flits(2)}));

    const auto bytes = [](unsigned count) { return latency_ps + count * Time{1'000'000'000'000} / bandwidth; };
    const std::array<Time, 3> plain = round_trips(of(nvlink()));
    EXPECT_EQ(plain, (std::array<Time, 3>{bytes(16) + bytes(80), bytes(48) + bytes(16), bytes(80) + bytes(16)}));
    LinkSpec same = nvlink();
    same.header = 32;
    same.byte_enable = 0;
    const std::array<Time, 3> alike = round_trips(of(same));
    EXPECT_EQ(alike, (std::array<Time, 3>{bytes(32) + bytes(96), bytes(48) + bytes(32), bytes(96) + bytes(32)}));
    for (unsigned i = 0; i < 3; ++i)
        std::printf("alone %u: reference %llu ps, link %llu, link with header 32 %llu\n", i,
            static_cast<unsigned long long>(clocked[i]), static_cast<unsigned long long>(plain[i]),
            static_cast<unsigned long long>(alike[i]));
}

// One after the other: bytes on the wire, of reads those of the answers.
TEST(LinkAgainstReference, Saturated)
{
    LinkSpec merged = nvlink();
    merged.merge = MergeKind::adjacent;
    merged.max_payload = 128;
    LinkSpec same = nvlink();
    same.header = 32;
    same.byte_enable = 0;
    struct Case {
        LineOp op;
        unsigned size;
        double clocks, plain, merged, alike;  // flits of the reference model; bytes of the others
    };
    for (const Case& one : {Case{LineOp::write, 64, 6, 80, 72, 96}, Case{LineOp::read, 64, 6, 80, 72, 96},
             Case{LineOp::write, 8, 2, 48, 48, 48}}) {
        const double byte_ps = 1e12 / bandwidth;
        EXPECT_DOUBLE_EQ(spacing(of(nvlink(), reference_endpoint), one.op, one.size), one.clocks * clock_ps);
        EXPECT_NEAR(spacing(of(nvlink()), one.op, one.size), one.plain * byte_ps, 1e-3);
        EXPECT_NEAR(spacing(of(merged), one.op, one.size), one.merged * byte_ps, 1e-3);
        EXPECT_NEAR(spacing(of(same), one.op, one.size), one.alike * byte_ps, 1e-3);
    }
}

// Lines a second of one stream of writes under bit errors, as a share of what there are without: the reference model
// against its own formula, the model with go_back_n against its own; both are told above.
TEST(LinkAgainstReference, UnderBitErrors)
{
    LinkSpec spec = nvlink();
    spec.header = 32;  // six flits for either
    spec.replay_timeout = 2'000'000;
    const std::pair<std::uint64_t, unsigned> loads[] = {{1'000'000'000'000U, 400'000}, {10'000'000'000'000U, 100'000}};
    for (const auto& [rate, lines] : loads) {  // parts of 10^18
        spec.bit_error_rate = rate;
        spec.retry = RetryKind::go_back_n;
        const double errors = static_cast<double>(rate) * 1e-18;
        const auto efficiency = [lines = lines](const std::vector<Time>& times) {
            return 6 * 16e12 / bandwidth * (lines - 1) / static_cast<double>(times.back() - times.front());
        };
        const double reference = efficiency(arrivals(of(spec, reference_endpoint), lines));
        const double model = efficiency(arrivals(of(spec), lines));
        // 16 B and two tags a flit; a request for a packet that is hit is sent in the clock after it.
        const double p = 1 - std::pow(1 - errors, 130 * 6), lost = std::ceil((6 + 3 + 2.0 * wire_clocks) / 6);
        // A request that is hit itself is made up for by the time-out.
        const double r = 1 - std::pow(1 - errors, 130), timeout = static_cast<double>(spec.replay_timeout / clock_ps);
        const double late = std::ceil((timeout + 1 - 6) / 6);
        const double by_reference =
            1 / (1 + p * lost + p * p / (1 - p) * (lost + 1 / (1 - p)) + p / (1 - p) * r * late);
        const double q = 1 - std::pow(1 - errors, 8 * 96), packet = 96e12 / bandwidth;
        // One that is hit again when it is repeated is not asked for again: the time-out brings it back.
        const double vain =
            std::ceil((packet + 2 * latency_ps) / packet) + q * static_cast<double>(spec.replay_timeout) / packet;
        const double by_model = (1 - q) / (1 - q + q * vain);
        const auto deviation = [lines = lines](double chance, double cost, double share) {
            return cost * std::sqrt(chance / lines) / (1 - chance) * share * share;
        };
        std::printf("bit error rate %.0e: reference %.4f (formula %.4f, standard error %.4f), go_back_n %.4f (formula "
                    "%.4f, %.4f)\n",
            errors, reference, by_reference, deviation(p, lost, by_reference), model, by_model,
            deviation(q, vain, by_model));
        EXPECT_NEAR(reference, by_reference, 4 * deviation(p, lost, by_reference));
        EXPECT_NEAR(model, by_model, 4 * deviation(q, vain, by_model));
    }
}

// What is counted: every line was sent a first time, and every slot was told of. Errors of either direction move all of it.
TEST(ClockedLinkCounts, EachIsMovedByWhatItCounts)
{
    const auto counts = [](std::uint64_t errors, std::uint64_t credits) {
        LinkSpec spec = nvlink();
        spec.bit_error_rate = errors;
        spec.request_credits = credits;
        spec.replay_timeout = 300'000;
        std::istringstream text(in_child([&] {
            FabricSystem system(two_ends(bandwidth), of(spec, reference_endpoint));
            for (unsigned end = 0; end < 2; ++end)
                for (unsigned i = 0; i < 2000; ++i) system.endpoints[end]->issue(0, LineOp::write, 1 - end, 64 * i);
            run_all(system);
            system.expect_clean();
            std::string out;
            for (const Statistic& statistic : system.links[0]->statistics())
                if (statistic.name.rfind("forward_", 0) == 0)
                    out += statistic.name.substr(8) + " " +
                        std::to_string(static_cast<std::uint64_t>(statistic.value)) + " ";
            system.links[0]->reset_statistics();
            for (const Statistic& statistic : system.links[0]->statistics())
                EXPECT_EQ(statistic.value, 0) << statistic.name;
            return out;
        }));
        std::map<std::string, std::uint64_t> out;
        std::string name;
        for (std::uint64_t value; text >> name >> value;) out[name] = value;
        return out;
    };
    auto clean = counts(0, 4095), starved = counts(0, 3), wrong = counts(20'000'000'000'000, 1);
    for (auto* const count : {&clean, &starved, &wrong}) {
        EXPECT_EQ((*count)["lines"], 4000U);
        EXPECT_EQ((*count)["packets"] - (*count)["repeated_packets"], 4000U);
        EXPECT_EQ((*count)["credits_told"], 4000U);
        EXPECT_EQ((*count)["wire_bytes"], (*count)["busy"] / clock_ps * 16);
        EXPECT_GT((*count)["control_packets"], 0U);
        EXPECT_GE((*count)["control_packets"], (*count)["credit_messages"] + (*count)["replay_requests"]);
    }
    for (const char* const name :
        {"errors", "wrong_flits", "replays", "repeated_packets", "repeated_bytes", "duplicates", "replay_requests"}) {
        EXPECT_EQ(clean[name], 0U) << name;
        EXPECT_EQ(starved[name], 0U) << name;
        EXPECT_GT(wrong[name], 0U) << name;
    }
    EXPECT_EQ(clean["credit_questions"], 0U);
    EXPECT_GT(wrong["credit_questions"], 0U);
    EXPECT_GT(starved["control_packets"], clean["control_packets"]);
    EXPECT_GT(starved["credit_messages"], clean["credit_messages"]);
    EXPECT_GE(wrong["wrong_flits"], wrong["errors"]);
    // 2000 writes of 6 flits, 2000 answers of 2, and control packets of one.
    EXPECT_EQ(clean["wire_bytes"], (2000 * 6 + 2000 * 2 + clean["control_packets"]) * 16);
}

}  // namespace clocked_nvlink_test
