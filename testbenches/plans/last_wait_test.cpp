// The last wait of a plan, and the signal that it is for: left out, or relaxed.
#include <gtest/gtest.h>

#include "collectives/plans/mscclpp_reader.h"
#include "testbenches/plans/fixtures.h"

namespace last_wait_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

const std::string wait = R"({"name": "wait", "channel_ids": [0], "channel_type": "memory"})";
const std::string signal = R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"})";

Plan read(const std::string& text) { return read_mscclpp_json(text, "plan.json"); }

// The n-th `from` of the text replaced, from 0 on.
std::string with_nth(const std::string& text, unsigned n, const std::string& from, const std::string& to)
{
    std::size_t at = text.find(from);
    while (n-- > 0 && at != std::string::npos) at = text.find(from, at + 1);
    if (at == std::string::npos) {
        ADD_FAILURE() << "not as many " << from;
        return text;
    }
    std::string out = text;
    return out.replace(at, from.size(), to);
}

std::string relaxed(const std::string& operation) { return with(operation, "\"name\": \"", "\"name\": \"rlx"); }

}  // namespace

// Signals and waits of pair_json: entry of rank 0, end of rank 0, entry of rank 1, end of rank 1.
TEST(LastWait, IsNeededByOutputs)
{
    EXPECT_EQ(problems_of(read(pair_json)), "");
    EXPECT_EQ(problems_of(read(with_nth(pair_json, 1, wait, R"({"name": "nop"})"))),
        "plan.json:26: rank 0 may end before output chunk 1 is written by rank 1 thread 0 step 2 (move); expected a "
        "wait "
        "for it\n");
}

TEST(LastWait, RelaxedSignalsOrderNoStores)
{
    const std::string problem = "rank 0 may end before output chunk 1 is written by rank 1 thread 0 step 2 (move); "
                                "expected signal and wait in place of rlxsignal and rlxwait, which order no data\n";
    for (const std::string& text :
        {with_nth(pair_json, 1, wait, relaxed(wait)), with_nth(pair_json, 3, signal, relaxed(signal))})
        EXPECT_EQ(problems_of(read(text)), "plan.json:26: " + problem);
    // A relaxed handshake tells that a rank has entered.
    std::string entered = with_nth(pair_json, 2, wait, relaxed(wait));
    entered = with_nth(entered, 0, signal, relaxed(signal));
    EXPECT_EQ(problems_of(read(entered)), "");
}

// The published plan for NVLS ends with relaxed signals behind the stores of the switch.
TEST(LastWait, RelaxedSignalsBehindStoresOfASwitchGiveANotice)
{
    Plan plan = read(pair_json);
    plan.relaxed.clear();
    Schedule& schedule = plan.schedule;
    schedule.reduction = ReduceOp::sum;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        std::vector<Step>& steps = schedule.ranks[rank].threads[0].steps;
        for (std::uint32_t s = 0; s < steps.size(); ++s) {
            if (is_data(steps[s].kind)) {
                steps[s].kind = StepKind::reduce_multicast;
                for (std::vector<ChunkRef>* side : {&steps[s].sources, &steps[s].destinations})
                    for (std::uint32_t peer = 0; peer < 2; ++peer) (*side)[peer] = {peer, Buffer::input, rank};
            } else if (steps[s].kind == StepKind::signal || steps[s].kind == StepKind::wait) {
                plan.relaxed.push_back({rank, 0, s});
            }
        }
    }
    const Judgement verdict = judge(plan);
    EXPECT_TRUE(verdict.ok) << problems_of(plan);
    ASSERT_EQ(verdict.notices.size(), 1u);
    EXPECT_EQ(verdict.notices[0].text(),
        "plan.json:26: rank 0 may end before output chunk 1 is written by rank 1 thread 0 step 2 (reduce_multicast) "
        "(and "
        "1 other output chunk); expected signal and wait in place of rlxsignal and rlxwait, which order no data");
}

}  // namespace last_wait_test
