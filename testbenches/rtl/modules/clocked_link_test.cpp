// Links as clocked endpoints in fabrics: times by theory, RTL against reference model, bit errors, and what is wrong
// is named.
#include "rtl/link/link_packet.h"
#include "rtl/link/link_rtl.h"
#include "rtl/link/reference_link_endpoint.h"
#include "rtl/modules/clocked_link.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

namespace clocked_link_test {

using namespace weft;
using namespace weft::testing;

namespace {

std::unique_ptr<LinkEndpoint> reference_endpoint(const LinkParams& params, const std::string&)
{
    return std::make_unique<ReferenceLinkEndpoint>(params);
}
std::unique_ptr<LinkEndpoint> endpoint_rtl(const LinkParams& params, const std::string& path)
{
    return std::make_unique<LinkEndpointRtl>(params, path);
}

constexpr Time clock_ps = 500;  // 16 B at 32 GB/s

FabricSystem::Options with(const ClockedLink::Factory& make)
{
    FabricSystem::Options options;
    options.link.latency = 20'000;
    options.link.request_credits = 32;
    options.link.response_credits = 32;
    options.link.replay_timeout = 400'000;
    options.link.replay_buffer = 64;
    options.make_link = [make](const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
                            std::uint64_t seed) {
        return std::make_unique<ClockedLink>(name.c_str(), event_queue, name, spec, seed, make);
    };
    return options;
}

Fabric pair() { return two_ends(32'000'000'000); }

// Trace, and counts of the first link, of random lines between four endpoints.
std::string outcome(const FabricSystem::Options& options)
{
    return in_child([&] {
        FabricSystem system(star(4, 32'000'000'000), options);
        system.issue_random(150, 11);
        run_all(system);
        system.expect_clean();
        std::string out = system.trace();
        for (const auto& link : system.links) {
            EXPECT_EQ(link->problems(), std::vector<std::string>());
            for (unsigned end = 0; end < 2; ++end) {
                const LinkModel::Direction count = link->direction(end);
                for (const std::uint64_t value :
                    {count.lines, count.wire_bytes, count.errors, count.replays, count.repeated_bytes})
                    out += std::to_string(value) + " ";
            }
        }
        return out;
    });
}

std::uint64_t total(const FabricSystem::Options& options, std::uint64_t LinkModel::Direction::*what)
{
    return std::stoull(in_child([&] {
        FabricSystem system(star(4, 32'000'000'000), options);
        system.issue_random(150, 11);
        run_all(system);
        system.expect_clean();
        std::uint64_t sum = 0;
        for (const auto& link : system.links)
            for (unsigned end = 0; end < 2; ++end) sum += link->direction(end).*what;
        return std::to_string(sum);
    }));
}

class ClockedLinkRtl : public RtlTest {};

}  // namespace

// On the pins at the edge after it came, then the flits of its packet and the latency: to the clock.
TEST(ClockedLink, ALoneLineTakesItsFlitsAndTheLatency)
{
    const std::string times = in_child([] {
        FabricSystem system(pair(), with(reference_endpoint));
        system.endpoints[0]->issue(1'000'000, LineOp::write, 1, 0);
        system.endpoints[0]->issue(2'000'000, LineOp::read, 1, 64);
        run_all(system);
        system.expect_clean();
        return std::to_string(system.endpoints[1]->served[0].at) + " " +
            std::to_string(system.endpoints[1]->served[1].at) + " " +
            std::to_string(system.endpoints[0]->answered[0].at) + " " +
            std::to_string(system.endpoints[0]->answered[1].at);
    });
    // 24 B of overhead and the data, in flits of 16 B.
    constexpr Time with_data = 6 * clock_ps + 20'000;
    constexpr Time without = 2 * clock_ps + 20'000;
    const Time write = 1'000'000 + with_data;
    const Time read = 2'000'000 + without;
    // An answer that is made in the clock in which its request comes out is on the pins in the next.
    EXPECT_EQ(times,
        std::to_string(write) + " " + std::to_string(read) + " " + std::to_string(write + clock_ps + without) + " " +
            std::to_string(read + clock_ps + with_data));
}

TEST(ClockedLink, ParametersMoveTheTimeAsTheyShould)
{
    const auto end = [](const std::function<void(LinkSpec&)>& change) {
        FabricSystem::Options options = with(reference_endpoint);
        change(options.link);
        return std::stoull(in_child([&] {
            FabricSystem system(pair(), options);
            for (unsigned i = 0; i < 200; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
            run_all(system);
            system.expect_clean();
            return std::to_string(system.event_queue.last());
        }));
    };
    const std::uint64_t base = end([](LinkSpec&) {});
    EXPECT_GT(end([](LinkSpec& spec) { spec.latency = 60'000; }), base);
    EXPECT_GT(end([](LinkSpec& spec) { spec.request_credits = 4; }), base);
    EXPECT_GT(end([](LinkSpec& spec) { spec.replay_buffer = 2; }), base);
}

// A clock to the pins, one to the wire and one of the wire: no latency is shorter.
TEST(ClockedLink, ALatencyBelowThreeClocksIsThree)
{
    const auto arrival = [](Time latency) {
        FabricSystem::Options options = with(reference_endpoint);
        options.link.latency = latency;
        return in_child([&] {
            FabricSystem system(pair(), options);
            system.endpoints[0]->issue(1'000'000, LineOp::write, 1, 0);
            run_all(system);
            system.expect_clean();
            return std::to_string(system.endpoints[1]->served[0].at - 1'000'000);
        });
    };
    for (const Time latency : {Time{1}, 2 * clock_ps, 3 * clock_ps})
        EXPECT_EQ(arrival(latency), std::to_string((6 + 3) * clock_ps)) << latency;
    EXPECT_EQ(arrival(4 * clock_ps), std::to_string((6 + 4) * clock_ps));
}

// The longest packets both ways, in bursts: the shortest time-out that is accepted repeats nothing.
TEST(ClockedLink, TheShortestTimeoutRepeatsNothing)
{
    FabricSystem::Options options = with(reference_endpoint);
    options.link.replay_timeout = (4 * 6 + 1 + 2 * 38) * clock_ps;
    const auto replays = [&options] {
        return in_child([&]() -> std::string {
            try {
                FabricSystem system(pair(), options);
                for (unsigned burst = 0; burst < 50; ++burst)
                    for (unsigned i = 0; i < 20; ++i) {
                        system.endpoints[0]->issue(burst * 201'500, LineOp::write, 1, 64 * i);
                        system.endpoints[1]->issue(burst * 197'000, LineOp::write, 0, 64 * i);
                    }
                run_all(system);
                system.expect_clean();
                std::string out;
                for (unsigned end = 0; end < 2; ++end) {
                    const LinkModel::Direction count = system.links[0]->direction(end);
                    out += std::to_string(count.lines) + " " + std::to_string(count.replays) + " ";
                }
                return out;
            } catch (const InputError& error) {
                return error.what();
            }
        });
    };
    EXPECT_EQ(replays(), "2000 0 2000 0 ");
    --options.link.replay_timeout;
    EXPECT_EQ(replays(),
        "a clocked link whose replay time-out of 50.499 ns can end without an error: an acknowledge takes up to 101 "
        "clocks "
        "of 500 ps; expected link.replay_timeout of at least 50.5 ns");
}

// No flit of one direction arrives: what a run that cannot go on says of the link has what was repeated.
TEST(ClockedLink, ADeadlockTellsWhatIsRepeated)
{
    FabricSystem::Options options = with(reference_endpoint);
    const std::string text = in_child([&] {
        FabricSystem system(pair(), options);
        for (unsigned flit = 0; flit < 1000; ++flit) static_cast<ClockedLink&>(*system.links[0]).wire(0).drop(flit);
        system.endpoints[0]->issue(0, LineOp::write, 1, 0);
        run_all(system);
        std::string out;
        for (const std::string& line : system.links[0]->blocked()) out += line + "\n";
        return out;
    });
    // It is quiet for 64 x (800 + 2 x 38) clocks, with a time-out every 801.
    EXPECT_EQ(text,
        "link0: 1 transactions from end 0 have not come out; 0 of them wait in front of the link; end 0 went back 69 "
        "times, "
        "and 0 packets had come before\n");
}

TEST(ClockedLink, NothingIsLostUnderBitErrors)
{
    FabricSystem::Options options = with(reference_endpoint);
    options.link.bit_error_rate = 100'000'000'000'000;  // 1e-4: one packet in fifteen
    EXPECT_GT(total(options, &LinkModel::Direction::errors), 50U);
    EXPECT_GT(total(options, &LinkModel::Direction::replays), 50U);
    EXPECT_GT(total(options, &LinkModel::Direction::repeated_bytes), 1000U);
    const std::string one = outcome(options);
    EXPECT_EQ(one, outcome(options));
    options.seed = 2;
    EXPECT_NE(one, outcome(options));
}

TEST(ClockedLink, WithoutErrorsNothingIsRepeated)
{
    EXPECT_EQ(total(with(reference_endpoint), &LinkModel::Direction::repeated_bytes), 0U);
    EXPECT_EQ(total(with(reference_endpoint), &LinkModel::Direction::replays), 0U);
}

TEST(ClockedLink, RefusesWhatItIsNot)
{
    const auto refusal = [](const std::function<void(LinkSpec&)>& change) {
        return in_child([&]() -> std::string {
            FabricSystem::Options options = with(reference_endpoint);
            change(options.link);
            try {
                FabricSystem system(pair(), options);
            } catch (const InputError& error) {
                return error.what();
            }
            return "";
        });
    };
    EXPECT_EQ(refusal([](LinkSpec&) {}), "");
    EXPECT_EQ(refusal([](LinkSpec& spec) { spec.request_credits = 4095; }), "");
    EXPECT_NE(refusal([](LinkSpec& spec) { spec.request_credits = 4096; }).find("up to 4095"), std::string::npos);
    EXPECT_EQ(refusal([](LinkSpec& spec) { spec.replay_buffer = 2048; }), "");
    EXPECT_NE(refusal([](LinkSpec& spec) { spec.replay_buffer = 2049; }).find("link.replay_buffer up to 2048"),
        std::string::npos);
    EXPECT_NE(refusal([](LinkSpec& spec) { spec.pool_credits = 3; }).find("pool_credits=0"), std::string::npos);
    EXPECT_NE(refusal([](LinkSpec& spec) { spec.flit = 24; }).find("8, 16 or 32"), std::string::npos);
}

// A line that an endpoint alters is named, with those before it.
TEST(ClockedLink, AnAlteredLineIsNamed)
{
    class Altered : public ReferenceLinkEndpoint {
    public:
        using ReferenceLinkEndpoint::ReferenceLinkEndpoint;
        void cycle(const LinkIn& in, LinkOut& out) override
        {
            ReferenceLinkEndpoint::cycle(in, out);
            if (out.rx_valid && ++lines_ == 20) out.rx_line.data()[3] ^= 4;
        }

    private:
        unsigned lines_ = 0;
    };
    const std::string text = in_child([] {
        FabricSystem::Options options =
            with([](const LinkParams& params, const std::string&) { return std::make_unique<Altered>(params); });
        options.checkers = false;
        FabricSystem system(pair(), options);
        for (unsigned i = 0; i < 100; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
        run_all(system);
        std::string out;
        for (const std::string& line : system.links[0]->problems()) out += line + "\n";
        return out;
    });
    EXPECT_NE(text.find("data byte 3: expected"), std::string::npos) << text;
    EXPECT_NE(text.find("out of end"), std::string::npos) << text;
}

// Links and a switch with edges at the same times: what comes out of one at an edge, and is at the pins of another whose
// edge that was, waits for the next. No block has two clocks at a time.
TEST(ClockedLink, AnEdgeIsOneClock)
{
    static unsigned again = 0, clocks = 0;
    const auto watch = [](std::uint64_t ps, std::uint64_t& last) {
        ++clocks;
        if (ps == last) ++again;
        last = ps;
    };
    class WatchedEnd : public ReferenceLinkEndpoint {
    public:
        using ReferenceLinkEndpoint::ReferenceLinkEndpoint;
        void at(std::uint64_t ps) override { seen(ps, last_); }
        void (*seen)(std::uint64_t, std::uint64_t&) = nullptr;

    private:
        std::uint64_t last_ = ~std::uint64_t{0};
    };
    class WatchedSwitch : public ReferenceSwitch {
    public:
        using ReferenceSwitch::ReferenceSwitch;
        void at(std::uint64_t ps) override { seen(ps, last_); }
        void (*seen)(std::uint64_t, std::uint64_t&) = nullptr;

    private:
        std::uint64_t last_ = ~std::uint64_t{0};
    };
    // Blocks of an instant have their turns by their paths: links before the switch, and behind it.
    const auto doubled = [&](const std::string& before) {
        return in_child([&] {
            FabricSystem::Options options = clocked([&](const SwitchBlockParameters& parameters, const std::string&) {
                auto out = std::make_unique<WatchedSwitch>(parameters);
                out->seen = watch;
                return out;
            });
            options.make_link = [&](const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
                                    std::uint64_t seed) {
                return std::make_unique<ClockedLink>(name.c_str(), event_queue, before + name, spec, seed,
                    [&](const LinkParams& params, const std::string&) {
                        auto out = std::make_unique<WatchedEnd>(params);
                        out->seen = watch;
                        return out;
                    });
            };
            FabricSystem system(star(4, 32'000'000'000), options);
            system.issue_random(150, 11);
            run_all(system);
            system.expect_clean();
            EXPECT_GT(clocks, 1000U);
            return std::to_string(again);
        });
    };
    EXPECT_EQ(doubled("a."), "0");
    EXPECT_EQ(doubled("z."), "0");
}

TEST_F(ClockedLinkRtl, IsItsReferenceToThePicosecond)
{
    EXPECT_EQ(outcome(with(endpoint_rtl)), outcome(with(reference_endpoint)));
    FabricSystem::Options reference = with(reference_endpoint);
    FabricSystem::Options rtl = with(endpoint_rtl);
    reference.link.bit_error_rate = rtl.link.bit_error_rate = 100'000'000'000'000;
    EXPECT_EQ(outcome(rtl), outcome(reference));
}

}  // namespace clocked_link_test
