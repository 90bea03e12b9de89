// Plans with random damage: the verifier always ends, and what it lets pass gives the right bytes in any
// order of execution.
#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/execute.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"

namespace mutation_test {

using namespace weft;

namespace {

class Damage {
public:
    explicit Damage(std::uint32_t seed) : random_(seed) {}

    void apply(Schedule& schedule)
    {
        std::vector<Step>& steps = steps_of(schedule, below(schedule.size()), below(2));
        if (steps.empty()) return;
        const std::uint32_t at = below(static_cast<std::uint32_t>(steps.size()));
        Step& step = steps[at];
        switch (below(11)) {
        case 0: steps.erase(steps.begin() + at); break;
        case 1: std::swap(step, steps[below(static_cast<std::uint32_t>(steps.size()))]); break;
        case 2: step.peer = below(5); break;
        case 3: step.semaphore = below(4); break;
        case 4: operand(step.sources); break;
        case 5: operand(step.destinations); break;
        case 6: step.part = below(3); break;
        case 7: step.parts = below(3) + 1; break;
        case 8: step.after.push_back({below(3), below(12)}); break;
        case 9: step.with_previous = !step.with_previous; break;
        case 10:
            step.kind = static_cast<StepKind>(below(7));
            step.participants = below(3);
            break;
        }
    }

    std::uint32_t below(std::uint32_t limit) { return random_() % limit; }

private:
    void operand(std::vector<ChunkRef>& refs)
    {
        if (refs.empty()) return;
        ChunkRef& ref = refs[below(static_cast<std::uint32_t>(refs.size()))];
        switch (below(5)) {
        case 0: ref.rank = below(5); break;
        case 1: ref.buffer = static_cast<Buffer>(below(3)); break;
        case 2: ref.index = below(5); break;
        case 3: ref.count = below(2) == 0 ? below(4) : random_(); break;
        case 4: refs.push_back(ref); break;
        }
    }

    std::mt19937 random_;
};

// Runs a plan one step at a time, always of a thread drawn by chance among those that can go on.
class AnyOrder {
public:
    AnyOrder(const Schedule& schedule, const Layout& layout, std::vector<RankMemory>& memories)
        : schedule_(schedule), layout_(layout), memories_(memories)
    {
        for (std::uint32_t r = 0; r < schedule.size(); ++r)
            for (std::uint32_t t = 0; t < schedule.ranks[r].threads.size(); ++t) threads_.push_back({r, t, 0, false});
    }

    void run(Damage& random)
    {
        for (;;) {
            std::vector<At*> able;
            for (At& at : threads_)
                if (can_run(at)) able.push_back(&at);
            if (able.empty()) return;
            run(*able[random.below(static_cast<std::uint32_t>(able.size()))]);
        }
    }

    bool finished() const
    {
        for (const At& at : threads_)
            if (at.next < steps(at).size()) return false;
        return true;
    }

private:
    struct At {
        std::uint32_t rank;
        std::uint32_t thread;
        std::uint32_t next;
        bool at_barrier;
    };

    const std::vector<Step>& steps(const At& at) const { return schedule_.ranks[at.rank].threads[at.thread].steps; }

    At& find(std::uint32_t rank, std::uint32_t thread)
    {
        return *std::find_if(threads_.begin(), threads_.end(),
            [=](const At& at) { return at.rank == rank && at.thread == thread; });
    }

    bool can_run(const At& at)
    {
        if (at.next == steps(at).size() || at.at_barrier) return false;
        const Step& step = steps(at)[at.next];
        for (const StepId& dependency : step.after)
            if (find(at.rank, dependency.thread).next <= dependency.step) return false;
        return step.kind != StepKind::wait || signals_[{at.rank, step.semaphore}] > 0;
    }

    void run(At& at)
    {
        const Step& step = steps(at)[at.next];
        if (step.kind == StepKind::barrier) {
            at.at_barrier = true;
            std::vector<At*> arrived;
            for (At& other : threads_)
                if (other.rank == at.rank && other.at_barrier && steps(other)[other.next].semaphore == step.semaphore)
                    arrived.push_back(&other);
            if (arrived.size() < step.participants) return;
            for (At* other : arrived) {
                other->at_barrier = false;
                ++other->next;
            }
            return;
        }
        if (step.kind == StepKind::wait) --signals_[{at.rank, step.semaphore}];
        if (step.kind == StepKind::signal) ++signals_[{step.peer, step.semaphore}];
        if (is_data(step.kind)) execute(step, schedule_.reduction, layout_, ElementType::u8, memories_);
        ++at.next;
    }

    const Schedule& schedule_;
    const Layout& layout_;
    std::vector<RankMemory>& memories_;
    std::vector<At> threads_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> signals_;
};

}  // namespace

TEST(Mutation, VerifierEndsAndIsNotFooled)
{
    Damage damage(5);
    // What GPUs can do by themselves, step by step.
    std::vector<std::string> names;
    for (const std::string& name : algorithm_names(CollectiveOp::all_reduce))
        if (algorithm_info(CollectiveOp::all_reduce, name)->carrier != Carrier::in_switch) names.push_back(name);
    std::uint32_t passed = 0;
    std::uint32_t refused = 0;
    for (int round = 0; round < 6000; ++round) {
        AlgorithmOptions options;
        options.channels = 2;
        const std::uint32_t ranks = 4;
        options.pipeline = 2;
        Schedule schedule = make_schedule(names[static_cast<std::size_t>(round) % names.size()],
            CollectiveOp::all_reduce, ranks, options);
        for (std::uint32_t i = damage.below(3) + 1; i > 0; --i) damage.apply(schedule);
        VerifyOptions size;
        size.bytes = 999;
        const Verification result = verify(schedule, size);
        ASSERT_EQ(result.ok, result.problems.empty());
        if (!result.ok) {
            ++refused;
            continue;
        }
        ++passed;
        const Layout layout(schedule, size.bytes, 1);
        std::vector<RankMemory> memories = allocate_memories(layout, ranks);
        std::vector<std::uint8_t> expected(size.bytes);
        for (RankMemory& rank : memories)
            for (std::size_t i = 0; i < rank.memory[0].size(); ++i) {
                rank.memory[0][i] = static_cast<std::uint8_t>(damage.below(256));
                expected[i] = static_cast<std::uint8_t>(expected[i] + rank.memory[0][i]);
            }
        AnyOrder order(schedule, layout, memories);
        order.run(damage);
        ASSERT_TRUE(order.finished()) << "round " << round;
        for (const RankMemory& rank : memories) ASSERT_EQ(rank.memory[1], expected) << "round " << round;
    }
    // Some damage is harmless (a dependency that holds anyhow, an exchange of a step with itself).
    EXPECT_GT(passed, 100u);
    EXPECT_GT(refused, 3000u);
    std::printf("%u passed, %u refused\n", passed, refused);
}

}  // namespace mutation_test
