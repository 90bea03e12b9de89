// A link of somebody else that loses a transaction without a word is named, and nobody at its ends.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"
#include "tlm_interconnect/link/link_shell.h"

namespace lost_lines_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Loses the hundredth request that it takes at end 0.
class LosingLink final : public LinkShell<LosingLink> {
public:
    LosingLink(const LinkRequest& request, EventQueue& event_queue)
        : LinkShell(request.parameters.get<LinkSpec>(), request.module_name.c_str(), event_queue, request.path)
    {
    }
    Direction direction(unsigned end) const override { return count_[end]; }
    void reset_statistics() override { count_[0] = count_[1] = {}; }

private:
    friend LinkShell<LosingLink>;

    Time take(unsigned end, Line& line, LineClass cls, Time delay)
    {
        constexpr Time line_time = 2'000;
        const Time now = event_queue().now();
        free_[end] = std::max(free_[end], now + delay) + line_time;
        ++count_[end].lines;
        const bool request = end == 0 && cls == LineClass::request;
        if (!request || ++requests_ != 100) hand_over(1 - end, line, cls, free_[end] - now + spec().latency);
        return free_[end] - now;
    }
    Time credit_time(unsigned, const Line&, Time delay) { return delay + spec().latency; }
    void run(ScheduledItem&) override {}

    Time free_[2] = {};
    Direction count_[2];
    unsigned requests_ = 0;
};

// The run: who is said to wait, the first line and all of them.
Json stuck(const std::string& algorithm, const std::string& link)
{
    RunSetup setup;
    setup.document = star_document(4);
    setup.lines = collective_lines("all_reduce", algorithm, "64KiB");
    setup.sets = {link + ".link.model=losing", "engine.channels=1"};
    const Json result = result_of([&] {
        ModelRegistry registry;
        registry.add_link("losing", "a link that loses a line",
            [](const RunContext& context, const LinkRequest& request) {
                return std::make_unique<LosingLink>(request, context.event_queue);
            });
        KnownNames known;
        known.models = registry.names_by_kind();
        known.blocks = registry.blocks();
        RunOptions options;
        options.progress = false;
        return run_system(resolve_setup(setup, known), registry, options);
    });
    EXPECT_EQ(result.value("exit_code", 0), 3) << result.dump();
    return result;
}

}  // namespace

TEST(LostLines, TheLinkThatLosesOneIsNamedFirst)
{
    for (const char* algorithm : {"ring", "direct", "nvls"}) {
        const std::vector<std::string> lines =
            stuck(algorithm, "b.0.xpu.2~b.0.sw.0").value("blocked", std::vector<std::string>());
        ASSERT_FALSE(lines.empty()) << algorithm;
        unsigned in = 0;
        unsigned out = 0;
        ASSERT_EQ(std::sscanf(lines[0].c_str(),
                      "b.0.xpu.2~b.0.sw.0 (model losing): %u transactions came in, %u went out, and it says nothing of "
                      "the rest",
                      &in, &out),
            2)
            << algorithm << ": " << lines[0];
        EXPECT_EQ(in, out + 1) << algorithm;
        for (std::size_t i = 1; i < lines.size(); ++i)
            EXPECT_EQ(lines[i].find("says nothing of the rest"), std::string::npos) << lines[i];
    }
}

// Of a run that cannot go on as well: what ranks wait for counts up to its end.
TEST(LostLines, WhatRanksWaitForCountsUpToTheEnd)
{
    const Json result = stuck("ring", "b.0.xpu.2~b.0.sw.0");
    const std::uint64_t end = result["simulated_ps"];
    for (const Json& rank : result["ranks"]) {
        std::uint64_t sum = 0;
        for (const auto& [cause, time] : rank["stall_ps"].items()) sum += time.get<std::uint64_t>();
        EXPECT_EQ(sum, end) << rank;
    }
    EXPECT_GT(result["ranks"][2]["stall_ps"]["acknowledge"], result["ranks"][1]["stall_ps"]["acknowledge"]);
}

}  // namespace lost_lines_test
