// Links with bit errors: nothing is lost, doubled or out of order; bytes and goodput are what the errors make of them.
#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/replay_link.h"

namespace replay_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t per(double rate) { return static_cast<std::uint64_t>(rate * 1e18); }

LinkSpec replaying(RetryKind kind, double rate)
{
    LinkSpec link;
    link.retry = kind;
    link.bit_error_rate = per(rate);
    link.request_credits = link.response_credits = 65535;
    return link;
}

// Frames of 640 B with 628 B of packets, credits that cost bytes.
LinkSpec framed(LinkSpec link)
{
    link.frame = 640;
    link.frame_payload = 628;
    link.credit_bytes = 4;
    link.credit_batch = 40;
    link.flit = 64;
    link.header = 8;
    return link;
}

struct Outcome {
    std::uint64_t wire = 0;
    std::uint64_t repeated = 0;
    std::uint64_t errors = 0;
    std::uint64_t replays = 0;
    std::uint64_t packets = 0;
    Time last = 0;
    unsigned in_order = 0;  // requests that arrived in the order of issue
};

Outcome stream(const LinkSpec& link, unsigned lines, std::uint64_t seed = 1, LineOp op = LineOp::write)
{
    const std::string text = in_child([=] {
        FabricSystem::Options options;
        options.link = link;
        options.seed = seed;
        FabricSystem system(two_ends(link.bandwidth), options);
        for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, op, 1, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        const auto& served = system.endpoints[1]->served;
        unsigned ordered = 0;
        for (unsigned i = 0; i < served.size(); ++i) ordered += served[i].tag == i ? 1 : 0;
        const LinkModel::Direction out = system.links[0]->direction(0);
        std::string result;
        for (const std::uint64_t value : {out.wire_bytes, out.repeated_bytes, out.errors, out.replays, out.packets,
                 served.back().at, std::uint64_t{ordered}})
            result += std::to_string(value) + " ";
        return result;
    });
    Outcome out;
    std::istringstream(text) >> out.wire >> out.repeated >> out.errors >> out.replays >> out.packets >> out.last >>
        out.in_order;
    return out;
}

// Packets of `bytes` at one after the other: which transmissions are hit, and what is sent again for it. Independent of
// the model: it walks through transmissions in units of packet times.
struct Expected {
    std::uint64_t transmissions = 0;
    std::uint64_t hits = 0;
};
Expected oracle(unsigned lines, std::uint64_t vain, const std::function<bool()>& hit)
{
    Expected out;
    unsigned next = 0;
    while (next < lines) {
        ++out.transmissions;
        if (!hit()) {
            ++next;
            continue;
        }
        ++out.hits;
        // What follows until the sender goes back is thrown away, but for what does not exist any more.
        const std::uint64_t rest = std::min<std::uint64_t>(vain - 1, lines - next - 1);
        for (std::uint64_t i = 0; i < rest; ++i) out.hits += hit() ? 1 : 0;
        out.transmissions += rest;
    }
    return out;
}

}  // namespace

TEST(Replay, WithoutErrorsTimesAreThoseOfThePlainLink)
{
    const auto trace = [](RetryKind kind, bool frames) {
        return in_child([kind, frames] {
            FabricSystem::Options options;
            if (frames) options.link = framed(options.link);
            options.link.retry = kind;
            options.service = 1'000;
            FabricSystem system(star(4), options);
            for (unsigned e = 0; e < 4; ++e)
                for (unsigned i = 0; i < 300; ++i)
                    system.endpoints[e]->issue(i * 1'700, i % 3 == 0 ? LineOp::read : LineOp::write,
                        (e + 1 + i % 3) % 4, 64 * i);
            sc_core::sc_start();
            system.expect_clean();
            return system.trace();
        });
    };
    for (const bool frames : {false, true}) {
        const std::string plain = trace(RetryKind::none, frames);
        EXPECT_EQ(trace(RetryKind::timeout, frames), plain);
        EXPECT_EQ(trace(RetryKind::go_back_n, frames), plain);
    }
}

TEST(Replay, NothingIsLostDoubledOrReordered)
{
    for (const RetryKind kind : {RetryKind::timeout, RetryKind::go_back_n}) {
        for (const double rate : {1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
            const Outcome outcome = stream(replaying(kind, rate), 20'000);
            EXPECT_EQ(outcome.in_order, 20'000u) << rate;
            EXPECT_EQ(outcome.wire, outcome.packets * 80) << rate;
            EXPECT_EQ(outcome.repeated, (outcome.packets - 20'000) * 80) << rate;
            EXPECT_EQ(outcome.errors > 0, rate > 5e-8) << rate;
            EXPECT_GE(outcome.errors, outcome.replays);
        }
    }
}

TEST(Replay, BytesSentAgainMatchTheInjectedErrors)
{
    constexpr unsigned lines = 20'000;
    const double rate = 1e-6;
    LinkSpec link = replaying(RetryKind::go_back_n, rate);
    const Outcome outcome = stream(link, lines);
    // The same stream of random numbers, spent in the same order: one a transmission.
    RandomStream random(1, stream_of("link0"));
    const double good = std::pow(std::pow(1 - rate, 8), 80);
    // T = 3.2 ns; a request comes back 2 x 70 ns after the end of the packet: 44.75 more transmissions have begun.
    const std::uint64_t vain = 1 + (140'000 + 3'199) / 3'200;
    const Expected expected = oracle(lines, vain, [&] { return random.uniform() >= good; });
    EXPECT_EQ(outcome.packets, expected.transmissions);
    EXPECT_EQ(outcome.errors, expected.hits);
    EXPECT_EQ(outcome.repeated, (expected.transmissions - lines) * 80);
}

TEST(Replay, GoodputFollowsTheFormula)
{
    constexpr unsigned lines = 40'000;
    for (const RetryKind kind : {RetryKind::go_back_n, RetryKind::timeout}) {
        for (const double rate : {1e-7, 1e-6, 1e-5}) {
            LinkSpec link = replaying(kind, rate);
            link.replay_buffer = 511;
            link.replay_timeout = 320'000;
            const double p = 1 - std::pow(1 - rate, 640);
            const double vain = kind == RetryKind::go_back_n ? 45 : 100;
            const double efficiency = (1 - p) / (1 - p + p * vain);
            const Outcome outcome = stream(link, lines);
            const double measured = lines * 3'200.0 / static_cast<double>(outcome.last - link.latency);
            // Failures of `lines` packets: mean and variance of a geometric distribution each; three deviations.
            const double deviation = std::sqrt(lines * p) / (1 - p) * vain / lines;
            const double slack = 3 * deviation * efficiency * efficiency + 1e-4;
            EXPECT_NEAR(measured, efficiency, slack) << rate << (kind == RetryKind::timeout ? " timeout" : " go back");
        }
    }
}

// Four reads share a packet of 16 B, 0.64 ns: three of four lines take no time on the wire, and what is behind them does not
// wait for them, whether they go for the first time or again.
TEST(Replay, GoodputOfReadsThatShareAPacketFollowsTheFormula)
{
    constexpr unsigned lines = 40'000;
    for (const RetryKind kind : {RetryKind::go_back_n, RetryKind::timeout}) {
        for (const double rate : {0.0, 1e-6, 1e-5}) {
            LinkSpec link = replaying(kind, rate);
            link.merge = MergeKind::adjacent;
            link.max_payload = 256;
            link.replay_buffer = 2048;
            link.replay_timeout = 320'000;
            const double p = 1 - std::pow(1 - rate, 128);
            const double vain = kind == RetryKind::go_back_n ? 220 : 500;
            const double efficiency = (1 - p) / (1 - p + p * vain);
            const Outcome outcome = stream(link, lines, 1, LineOp::read);
            EXPECT_EQ(outcome.in_order, lines);
            EXPECT_EQ(outcome.wire, outcome.packets * 16);
            const double packets = lines / 4.0;
            const double measured = packets * 640 / static_cast<double>(outcome.last - link.latency);
            const double deviation = std::sqrt(packets * p) / (1 - p) * vain / packets;
            const double slack = 3 * deviation * efficiency * efficiency + 1e-4;
            EXPECT_NEAR(measured, efficiency, slack) << rate << (kind == RetryKind::timeout ? " timeout" : " go back");
        }
    }
}

// Requests of reads without a header have no byte. Two of them ride with each of twenty writes, of which one at a time may be on
// its way: 64 B at 25 GB/s and 70 ns there and back.
TEST(Replay, LinesWithoutBytesDoNotHoldEachOtherUp)
{
    LinkSpec link = replaying(RetryKind::go_back_n, 0);
    link.header = 0;
    link.replay_buffer = 1;
    const std::string text = in_child([link] {
        FabricSystem::Options options;
        options.link = link;
        FabricSystem system(two_ends(link.bandwidth), options);
        for (unsigned i = 0; i < 60; ++i)
            system.endpoints[0]->issue(0, i % 3 == 0 ? LineOp::write : LineOp::read, 1, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        const auto& served = system.endpoints[1]->served;
        return std::to_string(served.size()) + " " + std::to_string(served.back().at);
    });
    EXPECT_EQ(text, "60 " + std::to_string(19 * (2'560 + 2 * 70'000) + 2'560 + 70'000));
}

TEST(Replay, AFrameThatIsHitLosesAllThatEndsInIt)
{
    constexpr unsigned lines = 60'000;
    for (const RetryKind kind : {RetryKind::go_back_n, RetryKind::timeout}) {
        for (const double rate : {1e-8, 1e-7, 1e-6}) {
            LinkSpec link = framed(replaying(kind, rate));
            link.bandwidth = 100'000'000'000;
            link.replay_buffer = 4096;
            link.replay_timeout = 640'000;
            const Outcome outcome = stream(link, lines);
            EXPECT_EQ(outcome.in_order, lines);
            // A frame takes 6.4 ns. Go back: 140 ns and the next boundary.
            const double p = 1 - std::pow(1 - rate, 640 * 8);
            const double vain = kind == RetryKind::go_back_n ? std::ceil((6.4 + 140) / 6.4) + 1 : 100;
            const double efficiency = (1 - p) / (1 - p + p * vain);
            const double frames = lines * 72.0 / 628;
            const double measured = frames * 6'400 / static_cast<double>(outcome.last - link.latency);
            const double deviation = std::sqrt(frames * p) / (1 - p) * vain / frames;
            EXPECT_NEAR(measured, efficiency, 3 * deviation * efficiency * efficiency + 1e-3) << rate;
            EXPECT_EQ(outcome.errors > 0, rate > 5e-8);
        }
    }
}

// 80 B at 25 GB/s and 70 ns: a line and one of the other direction that has just begun, 3.2 ns each, and the way there and back.
TEST(Replay, ATimeOutIsLongerThanAnyAcknowledge)
{
    LinkSpec link = replaying(RetryKind::go_back_n, 0);
    EXPECT_EQ(longest_acknowledge(link), 146'400u);
    link.replay_timeout = 146'400;
    EXPECT_THROW(check_link(link), InputError);
    link.replay_timeout = 146'401;
    EXPECT_NO_THROW(check_link(link));
    link.ack_bytes = 16;  // 0.64 ns
    EXPECT_EQ(longest_acknowledge(link), 147'040u);
    link.credit_bytes = 4;  // 0.16 ns
    EXPECT_EQ(longest_acknowledge(link), 147'200u);
    link.ack_every = 4;  // three lines more
    EXPECT_EQ(longest_acknowledge(link), 156'800u);
}

TEST(Replay, NothingIsRepeatedWithoutErrorsAtTheShortestTimeOut)
{
    for (const RetryKind kind : {RetryKind::timeout, RetryKind::go_back_n})
        for (const std::uint64_t bandwidth : {500'000'000UL, 12'500'000'000UL})
            for (const std::uint64_t buffer : {1, 256})
                for (const MergeKind merge : {MergeKind::none, MergeKind::adjacent}) {
                    LinkSpec link = replaying(kind, 0);
                    link.bandwidth = bandwidth;
                    link.replay_buffer = buffer;
                    link.merge = merge;
                    link.replay_timeout = longest_acknowledge(link) + 1;
                    const std::string text = in_child([=] {
                        FabricSystem::Options options;
                        options.link = link;
                        FabricSystem system(two_ends(link.bandwidth), options);
                        for (unsigned i = 0; i < 2'000; ++i) {
                            system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
                            system.endpoints[1]->issue(0, LineOp::write, 0, 64 * i);
                        }
                        sc_core::sc_start();
                        system.expect_clean();
                        std::string result;
                        for (unsigned end = 0; end < 2; ++end)
                            result += std::to_string(system.links[0]->direction(end).replays) + " " +
                                std::to_string(system.links[0]->direction(end).duplicates) + " ";
                        return result;
                    });
                    EXPECT_EQ(text, "0 0 0 0 ") << bandwidth << " " << buffer << " " << static_cast<int>(merge);
                }
}

TEST(Replay, EveryParameterMovesTheRightNumberInTheRightDirection)
{
    const LinkSpec base = [] {
        LinkSpec link = replaying(RetryKind::timeout, 1e-5);
        link.replay_timeout = 500'000;
        return link;
    }();
    const Outcome before = stream(base, 5'000);
    LinkSpec link = base;
    link.bit_error_rate = per(3e-5);
    EXPECT_GT(stream(link, 5'000).last, before.last);
    link = base;
    link.replay_timeout = 1'000'000;
    EXPECT_GT(stream(link, 5'000).last, before.last);
    link = base;
    link.retry = RetryKind::go_back_n;
    EXPECT_LT(stream(link, 5'000).last, before.last);
    // A buffer smaller than a round trip (44.75 packets and the one itself) limits even without errors.
    link = replaying(RetryKind::go_back_n, 0);
    link.replay_buffer = 10;
    const Outcome few = stream(link, 5'000);
    link.replay_buffer = 46;
    const Outcome enough = stream(link, 5'000);
    EXPECT_EQ(enough.last, 5'000u * 3'200 + link.latency);
    // Ten packets per time on the wire and the way there and back.
    EXPECT_EQ(few.last, 499u * (3'200 + 140'000) + 10 * 3'200 + link.latency);
    // Acknowledges that cost bytes slow down what shares their wire: here the answers.
    link = replaying(RetryKind::go_back_n, 0);
    link.ack_bytes = 16;
    link.ack_every = 1;
    const std::string text = in_child([link] {
        FabricSystem::Options options;
        options.link = link;
        FabricSystem system(two_ends(), options);
        for (unsigned i = 0; i < 1'000; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        return std::to_string(system.links[0]->direction(1).wire_bytes);
    });
    EXPECT_EQ(text, std::to_string(1'000 * (16 + 16)));
}

// Both senders are held by their replay buffers of 32 packets. When the last of these is on the wire, each acknowledges what it
// has, and does not wait for the 32 that one acknowledge may cover. If it did, the 33rd write would arrive after 31 packets of
// 3.2 ns and three ways of 70 ns at the earliest.
TEST(Replay, AFullReplayBufferHoldsNoAcknowledgeBack)
{
    LinkSpec link = replaying(RetryKind::go_back_n, 0);
    link.replay_buffer = link.ack_every = 32;
    const std::string text = in_child([link] {
        FabricSystem::Options options;
        options.link = link;
        FabricSystem system(two_ends(), options);
        for (unsigned i = 0; i < 64; ++i)
            for (unsigned e = 0; e < 2; ++e) system.endpoints[e]->issue(0, LineOp::write, 1 - e, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        return std::to_string(system.endpoints[1]->served.at(32).at);
    });
    EXPECT_LT(std::stoull(text), 31U * 3'200 + 3 * 70'000);
}

// A round trip of 140 ns and some packets holds 6 KB at 25 GB/s: 8 packets of 1 KiB are enough for it, 8 lines would be
// a tenth.
TEST(Replay, TheBufferCountsPacketsOfSeveralLines)
{
    LinkSpec link = replaying(RetryKind::none, 0);
    link.merge = MergeKind::destination;
    link.max_payload = 1024;
    link.packet_overhead = 42;
    link.replay_buffer = 8;
    const Outcome plain = stream(link, 2'000);
    link.retry = RetryKind::go_back_n;
    const Outcome kept = stream(link, 2'000);
    EXPECT_EQ(kept.last, plain.last);
    EXPECT_EQ(kept.packets, plain.packets);
    EXPECT_LT(kept.packets, 2'000U / 10);
    link.replay_buffer = 2;
    EXPECT_GT(stream(link, 2'000).last, plain.last * 2);
}

// Requests of reads that share a packet add no bytes and take no place: 256 packets of 16 B are a round trip, 256 lines a quarter.
TEST(Replay, LinesWithoutBytesTakeNoPlace)
{
    const auto last = [](RetryKind kind) {
        return std::stoull(in_child([kind] {
            FabricSystem::Options options;
            options.link = replaying(kind, 0);
            options.link.merge = MergeKind::adjacent;
            options.link.max_payload = 256;
            options.link.replay_buffer = 256;
            FabricSystem system(two_ends(options.link.bandwidth), options);
            for (unsigned i = 0; i < 2'000; ++i) system.endpoints[0]->issue(0, LineOp::read, 1, 64 * i);
            sc_core::sc_start();
            system.expect_clean();
            return std::to_string(system.endpoints[1]->served.back().at);
        }));
    };
    EXPECT_EQ(last(RetryKind::go_back_n), last(RetryKind::none));
}

TEST(Replay, TheSameSeedGivesTheSameErrors)
{
    const LinkSpec link = replaying(RetryKind::go_back_n, 1e-5);
    const Outcome one = stream(link, 3'000, 7);
    const Outcome again = stream(link, 3'000, 7);
    const Outcome other = stream(link, 3'000, 8);
    EXPECT_EQ(one.last, again.last);
    EXPECT_EQ(one.packets, again.packets);
    EXPECT_NE(one.packets, other.packets);
}

TEST(Replay, ErrorsWithoutRetryAndABundleWithRetryAreRefused)
{
    EventQueue event_queue("event_queue");
    LinkSpec link;
    link.bit_error_rate = per(1e-9);
    EXPECT_THROW(make_link("a", event_queue, "a", link, 1), InputError);
    link = replaying(RetryKind::timeout, 0);
    link.bundle = 2;
    EXPECT_THROW(make_link("b", event_queue, "b", link, 1), InputError);
    link.bundle = 1;
    link.frame = 640;
    EXPECT_THROW(make_link("c", event_queue, "c", link, 1), InputError);
    link.frame = 0;
    link.replay_buffer = 8;
    link.ack_every = 9;
    EXPECT_THROW(make_link("d", event_queue, "d", link, 1), InputError);
}

}  // namespace replay_test
