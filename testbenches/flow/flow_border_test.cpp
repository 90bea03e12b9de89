// The core with a border that the test is: what it is told, and what becomes of a job when an answer is missing.
#include <gtest/gtest.h>

#include "collectives/flow/flow_core.h"
#include "collectives/schedule/algorithms/algorithms.h"

namespace flow_border_test {

using namespace weft;

namespace {

constexpr std::uint64_t wire_ps = 1000;

// Rank 0 is outside. Takes 500 ps beyond the border for everything, unless it loses signals.
class Border final : public FlowBorder {
public:
    Border(PathBook& book, std::uint32_t path, bool loses_signals)
        : book_(book), path_(path), loses_signals_(loses_signals)
    {
    }
    void join(FlowCore& core) { core_ = &core; }

    std::uint64_t stored = 0;
    std::uint64_t signals = 0;

    std::uint32_t path_out(std::uint32_t, std::uint32_t, bool) override { return path_; }
    void store(const Share& share, Ps, Ps last) override
    {
        ++stored;
        core_->after(last + 500 - core_->now(),
            [this, ticket = share.ticket] { core_->stored(ticket, book_.find(0, 1), 0, 64); });
    }
    void load(const Share&, Ps, Ps) override { FAIL() << "nothing is loaded"; }
    void signal(const Signal& signal, Ps at) override
    {
        ++signals;
        if (!loses_signals_)
            core_->after(at + 500 - core_->now(), [this, ticket = signal.ticket] { core_->signalled(ticket); });
    }
    void left(std::uint32_t, Ps) override {}
    void arrived(std::uint32_t, Ps) override {}
    void answered(std::uint32_t, Ps) override {}

private:
    PathBook& book_;
    std::uint32_t path_;
    bool loses_signals_;
    FlowCore* core_ = nullptr;
};

struct Outcome {
    std::uint64_t left_ps = 0;
    std::uint64_t stored = 0;
    std::uint64_t signals = 0;
    std::vector<std::string> blocked;
};

// Two ranks; rank 0 stores one line at rank 1 by way of the test, signals it, or does not, and leaves.
Outcome play(CollectiveOp op, bool signal_comes, bool loses_signals = false)
{
    CostGraph graph = plain_graph(2);
    add_wire(graph, 0, 1, 1, wire_ps);
    PathBook book = book_of(graph);
    Border border(book, book.add(graph.path(1, 0)), loses_signals);
    FlowCore core(ranks_of(graph), book);
    core.set_border(border, {true, false});
    border.join(core);
    FlowJob job;
    AlgorithmOptions options;
    options.channels = 1;
    job.program = std::make_shared<const FlowProgram>(program_of(make_schedule("direct", op, 2, options)));
    job.bytes = 128;
    job.members = {0, 1};
    job.name = name_of(op);
    job.step_bytes = [](std::uint32_t, std::uint32_t, std::uint32_t) { return FlowJob::StepBytes{64, 64}; };
    const FlowCore::JobId id = core.open(job);
    Outcome out;
    core.enter_outside(id);
    core.enter(id, 1, [&] { out.left_ps = core.now(); });
    if (signal_comes) core.after(10'000, [&] { core.arrive_outside(id, 1, 0, core.now()); });
    core.run();
    out.stored = border.stored;
    out.signals = border.signals;
    out.blocked = core.blocked();
    return out;
}

}  // namespace

// Out, 500 ps, back; then the signal there, 500 ps and its answer.
TEST(FlowBorder, AStoreAndASignalAreAnsweredByTheBorder)
{
    const Outcome out = play(CollectiveOp::gather, false);
    EXPECT_EQ(out.stored, 1U);
    EXPECT_EQ(out.signals, 1U);
    EXPECT_EQ(out.left_ps, 2 * (2 * wire_ps + 500));
    EXPECT_TRUE(out.blocked.empty());
}

TEST(FlowBorder, ARankIsNamedThatWaitsForASignalFromBeyond)
{
    EXPECT_EQ(play(CollectiveOp::all_gather, true).left_ps, 10'000U);
    const Outcome out = play(CollectiveOp::all_gather, false);
    EXPECT_EQ(out.left_ps, 0U);
    ASSERT_EQ(out.blocked.size(), 1U);
    EXPECT_NE(out.blocked[0].find("rank 1 at operation"), std::string::npos) << out.blocked[0];
    EXPECT_NE(out.blocked[0].find("waits for a signal of rank 0"), std::string::npos) << out.blocked[0];
}

// Planted: a border that never says that a signal is there.
TEST(FlowBorder, ARankDoesNotLeaveBeforeItsSignalsAreAnswered)
{
    const Outcome out = play(CollectiveOp::gather, false, true);
    EXPECT_EQ(out.left_ps, 0U);
    ASSERT_EQ(out.blocked.size(), 1U);
    EXPECT_NE(out.blocked[0].find("rank 1"), std::string::npos) << out.blocked[0];
}

}  // namespace flow_border_test
