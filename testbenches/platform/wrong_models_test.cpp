// Switches and links of somebody else that do what cannot be: without a checker, too, the run ends with a line that names the module.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"
#include "tlm_interconnect/link/link_shell.h"
#include "tlm_interconnect/switch/switch_shell.h"

namespace wrong_models_test {

using namespace weft;
using namespace weft::testing;

namespace {

enum class Wrong { nothing, twice, early, back_in_time, payload, busy, thrown };

constexpr unsigned hit = 100;  // which transaction it befalls, of an instance

// 2 ns for each transaction.
class WrongLink final : public LinkShell<WrongLink> {
public:
    WrongLink(const LinkRequest& request, EventQueue& event_queue, Wrong wrong)
        : LinkShell(request.parameters.get<LinkSpec>(), request.module_name.c_str(), event_queue, request.path),
          wrong_(wrong)
    {
    }
    Direction direction(unsigned end) const override { return count_[end]; }
    void reset_statistics() override { count_[0] = count_[1] = {}; }

private:
    friend LinkShell<WrongLink>;

    Time take(unsigned end, Line& line, LineClass cls, Time delay)
    {
        constexpr Time line_time = 2'000;
        const Time now = event_queue().now();
        const bool now_wrong = ++taken_ == hit;
        free_[end] = std::max(free_[end], now + delay) + line_time;
        Direction& count = count_[end];
        ++count.lines;
        count.wire_bytes += 80;
        count.payload_bytes += wrong_ == Wrong::payload ? 81 : 64;
        count.busy += wrong_ == Wrong::busy ? 1'000 * line_time : line_time;
        const Time arrival = free_[end] - now + spec().latency;
        if (now_wrong && wrong_ == Wrong::thrown) throw 42;
        if (now_wrong && wrong_ == Wrong::twice) hand_over(1 - end, line, cls, arrival);
        hand_over(1 - end, line, cls, now_wrong && wrong_ == Wrong::early ? Time{0} - 7 : arrival);
        return now_wrong && wrong_ == Wrong::back_in_time ? Time{0} - 5 : free_[end] - now;
    }
    Time credit_time(unsigned, const Line&, Time delay) { return delay + spec().latency; }
    void run(ScheduledItem&) override {}

    Wrong wrong_;
    Time free_[2] = {};
    Direction count_[2];
    unsigned taken_ = 0;
};

// Hands on at once what comes, without regard for wires and credits.
class WrongSwitch final : public SwitchShell<WrongSwitch> {
public:
    WrongSwitch(const SwitchRequest& request, EventQueue& event_queue, Wrong wrong)
        : SwitchShell(request.ports, request.routes, request.module_name.c_str(), event_queue, request.path),
          wrong_(wrong)
    {
    }
    void set_credits(unsigned, const BufferSpace&) override {}
    std::uint32_t peak_queue(unsigned) const override { return 0; }
    std::uint64_t line_hops() const override { return lines_; }
    std::vector<std::string> blocked() const override { return {}; }
    std::vector<Statistic> statistics() const override { return {}; }
    void reset_statistics() override {}

private:
    friend SwitchShell<WrongSwitch>;

    void arrive(unsigned port, Line& line, LineClass cls, Time delay)
    {
        Exit exit{};
        if (cls == LineClass::request) {
            exit = route(line, port, vc_set_of(line.vc));
            note_hop(line, port);
        } else {
            exit = route_back(line);
        }
        free_slot(line, cls, port, delay);
        send(line, cls, exit.port, delay);
        if (++lines_ == hit && wrong_ == Wrong::twice) send(line, cls, exit.port, delay);
    }
    void credited(unsigned, std::uint8_t, Time) {}
    void run(ScheduledItem&) override {}

    Wrong wrong_;
    std::uint64_t lines_ = 0;
};

// A run with one of them.
Json run_with(const std::string& kind, Wrong wrong, bool checked = false)
{
    RunSetup setup;
    setup.document = star_document(4);
    setup.lines = collective_lines("all_reduce", "direct", "64KiB");
    if (kind == "link") {
        setup.sets = {"b.0.xpu.2~b.0.sw.0.link.model=wrong"};
    } else {
        setup.lines += "bind: [{nodes: b.0.sw.0, model: wrong}]\n";
    }
    return result_of([&] {
        ModelRegistry registry;
        registry.add_link("wrong", "a link", [wrong](const RunContext& context, const LinkRequest& request) {
            return std::make_unique<WrongLink>(request, context.event_queue, wrong);
        });
        registry.add_switch("wrong", "a switch", [wrong](const RunContext& context, const SwitchRequest& request) {
            return std::make_unique<WrongSwitch>(request, context.event_queue, wrong);
        });
        KnownNames known;
        known.models = registry.names_by_kind();
        known.blocks = registry.blocks();
        RunOptions options;
        options.progress = false;
        options.check_protocol = checked;
        return run_system(resolve_setup(setup, known), registry, options);
    });
}

// The first thing that is wrong, and whether there is another one.
std::string first_problem(const Json& result, std::size_t problems = 1)
{
    EXPECT_EQ(result.value("exit_code", -1), problems == 0 ? 0 : 1) << result;
    const auto all = result.value("problems", std::vector<std::string>());
    EXPECT_EQ(all.size(), problems) << result;
    return all.empty() ? "" : all.front();
}

const std::string link_name = "b.0.xpu.2~b.0.sw.0 (link model wrong): ";

}  // namespace

TEST(WrongModels, WhoDoesNothingWrongIsNotNamed)
{
    for (const char* kind : {"link", "switch"}) {
        const Json result = run_with(kind, Wrong::nothing);
        EXPECT_EQ(first_problem(result, 0), "");
        EXPECT_EQ(result.at("verified"), "passed");
    }
}

TEST(WrongModels, ATransactionThatIsHandedOnTwiceEndsTheRun)
{
    for (const std::string kind : {"link", "switch"}) {
        const std::string problem = first_problem(run_with(kind, Wrong::twice));
        const std::string name = kind == "link" ? link_name : "b.0.sw.0 (switch model wrong): ";
        EXPECT_EQ(problem.find(name + "hands on a request (write of 64 B at 0x"), 0u) << problem;
        EXPECT_NE(
            problem.find(" that it does not have; expected each transaction once for each time that it came in, at "),
            std::string::npos)
            << problem;
    }
}

TEST(WrongModels, TimesBeforeTheCurrentOneAreNamed)
{
    const std::string early = first_problem(run_with("link", Wrong::early));
    EXPECT_EQ(early.find(link_name + "hands on a request (write of 64 B at 0x"), 0u) << early;
    EXPECT_NE(early.find(") 7 ps before the current time; expected now or later, at "), std::string::npos) << early;
    const std::string back = first_problem(run_with("link", Wrong::back_in_time));
    EXPECT_EQ(
        back.find(link_name +
            "takes the next transaction 5 ps before the current time, by what it answers; expected now or later, at "),
        0u)
        << back;
    const std::string checked = first_problem(run_with("link", Wrong::back_in_time, true));
    EXPECT_NE(checked.find(": past: "), std::string::npos) << checked;
    EXPECT_NE(checked.find("a delay that ends 5 ps before the current time"), std::string::npos) << checked;
}

// By the checker, too, at the end of the run.
TEST(WrongModels, StatisticsThatCannotBeAreNamed)
{
    for (const bool checked : {false, true}) {
        const std::string of_rank = first_problem(run_with("link", Wrong::payload, checked), 2);
        EXPECT_EQ(of_rank.find(link_name + "its statistics of what b.0.xpu.2 sends have "), 0u) << of_rank;
        std::uint64_t payload = 0;
        std::uint64_t wire = 0;
        ASSERT_EQ(std::sscanf(of_rank.c_str() + of_rank.find("have "), "have %lu payload_bytes in %lu wire_bytes",
                      &payload, &wire),
            2)
            << of_rank;
        EXPECT_EQ(payload * 80, wire * 81);
        const std::string busy = first_problem(run_with("link", Wrong::busy, checked), 2);
        EXPECT_EQ(busy.find(link_name + "its statistics of what b.0.xpu.2 sends have a wire that was busy for "), 0u)
            << busy;
        EXPECT_NE(busy.find(" ps; expected no more than all of the time"), std::string::npos) << busy;
    }
}

TEST(WrongModels, AnExceptionWithoutATextNamesWhoRan)
{
    const std::string problem = first_problem(run_with("link", Wrong::thrown));
    EXPECT_EQ(problem.find("b.0."), 0u) << problem;
    EXPECT_NE(problem.find(": an exception of a type that is no std::exception, thrown there or by what it calls, at "),
        std::string::npos)
        << problem;
}

}  // namespace wrong_models_test
