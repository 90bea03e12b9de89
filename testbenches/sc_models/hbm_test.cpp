#include <gtest/gtest.h>

#include "sc_models/hbm.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "tlm_interconnect/protocol_checker.h"

using namespace weft;
using namespace weft::testing;

namespace {

struct Access {
    Time at;
    unsigned slice;
    LineOp op;
    std::uint64_t address;
};

// Times of the answers, in the order of the accesses; then reads, writes and busy time.
std::vector<Time> run(const HbmSpec& spec, unsigned slices, const std::vector<Access>& accesses)
{
    const std::string text = in_child([&] {
        Agenda agenda("agenda");
        LinePool pool;
        Hbm hbm("hbm", agenda, "hbm", spec, slices);
        Checkers checkers(agenda);
        std::vector<std::unique_ptr<LineIssuer>> issuers;
        for (unsigned s = 0; s < slices; ++s) {
            issuers.push_back(std::make_unique<LineIssuer>(("slice" + std::to_string(100 + s)).c_str(), agenda, pool));
            checkers.bind(issuers[s]->out, hbm.target(s));
        }
        std::vector<std::size_t> tag;
        for (const Access& access : accesses) {
            tag.push_back(issuers[access.slice]->done.size());
            issuers[access.slice]->issue(access.at, access.op, access.address);
        }
        sc_core::sc_start();
        checkers.finish();
        EXPECT_EQ(pool.live(), 0u);
        std::string out;
        for (std::size_t i = 0; i < accesses.size(); ++i)
            out += std::to_string(issuers[accesses[i].slice]->done[tag[i]].at) + " ";
        for (const Statistic& statistic : hbm.statistics()) out += std::to_string(static_cast<Time>(statistic.value)) + " ";
        return out;
    });
    std::vector<Time> times;
    for (std::size_t at = 0; at < text.size(); at = text.find(' ', at) + 1) times.push_back(std::stoull(text.substr(at)));
    return times;
}

HbmSpec small()
{
    HbmSpec spec;
    spec.bandwidth = 256'000'000'000;  // 64 GB/s a channel: 1000 ps a line
    spec.channels = 4;
    spec.latency = 30'000;
    return spec;
}

}  // namespace

TEST(Hbm, OneAccessTakesTheLatency)
{
    EXPECT_EQ(run(small(), 4, {{500, 1, LineOp::read, 64}}), (std::vector<Time>{30'500, 1, 0, 1000}));
}

TEST(Hbm, ASlowChannelAnswersWhenTheLineHasBeenRead)
{
    HbmSpec spec = small();
    spec.bandwidth = 4'000'000;  // 64 us a line
    EXPECT_EQ(run(spec, 4, {{0, 0, LineOp::read, 0}})[0], 64'000'000u);
}

TEST(Hbm, AccessesOfOneChannelQueueAndOthersDoNot)
{
    // As many slices as channels: slice s has channel s.
    const std::vector<Time> times = run(small(), 4,
        {{0, 0, LineOp::read, 0}, {0, 0, LineOp::write, 256}, {0, 0, LineOp::read, 512}, {0, 1, LineOp::read, 64}});
    EXPECT_EQ(times, (std::vector<Time>{30'000, 31'000, 32'000, 30'000, 3, 1, 4000}));
}

TEST(Hbm, SeveralSlicesMayShareAChannelInSliceOrder)
{
    HbmSpec spec = small();
    spec.channels = 2;
    spec.bandwidth = 128'000'000'000;
    // Slices 0 and 1 share channel 0, 2 and 3 channel 1; of one instant the lower slice comes first.
    const std::vector<Time> times = run(spec, 4,
        {{0, 1, LineOp::read, 64}, {0, 0, LineOp::read, 0}, {0, 3, LineOp::read, 192}, {0, 2, LineOp::read, 128}});
    EXPECT_EQ(times, (std::vector<Time>{31'000, 30'000, 31'000, 30'000, 4, 0, 4000}));
}

TEST(Hbm, ASliceWithSeveralChannelsInterleavesItsLines)
{
    // Two slices, four channels: lines 0, 2 of slice 0 lie in its two channels, line 4 in the first again.
    const std::vector<Time> times = run(small(), 2,
        {{0, 0, LineOp::read, 0}, {0, 0, LineOp::read, 128}, {0, 0, LineOp::read, 256}, {0, 0, LineOp::read, 384}});
    EXPECT_EQ(times, (std::vector<Time>{30'000, 30'000, 31'000, 31'000, 4, 0, 4000}));
}

TEST(Hbm, SustainedRateIsTheBandwidthExactly)
{
    HbmSpec spec = small();
    spec.bandwidth = 900'000'000'000;
    spec.channels = 1;
    std::vector<Access> accesses;
    for (unsigned i = 0; i < 9000; ++i) accesses.push_back({0, 0, LineOp::read, 64 * i});
    const std::vector<Time> times = run(spec, 1, accesses);
    for (std::size_t i = 0; i < 9000; ++i) ASSERT_EQ(times[i], i * 64 * 1000 / 900 + 30'000) << i;
    EXPECT_EQ(times[9002], 640'000u);  // busy
}

TEST(Hbm, EveryParameterMovesTheRightNumber)
{
    std::vector<Access> accesses;
    for (unsigned i = 0; i < 64; ++i) accesses.push_back({0, i % 4, LineOp::read, 64 * i});
    const Time base = run(small(), 4, accesses)[63];
    EXPECT_EQ(base, 30'000 + 15 * 1000u);
    HbmSpec spec = small();
    spec.bandwidth *= 2;
    EXPECT_EQ(run(spec, 4, accesses)[63], 30'000 + 15 * 500u);
    spec = small();
    spec.latency += 7;
    EXPECT_EQ(run(spec, 4, accesses)[63], base + 7);
    spec = small();
    spec.channels = 1;  // same rate, one queue
    EXPECT_EQ(run(spec, 4, accesses)[63], 30'000 + 63 * 250u);
}
