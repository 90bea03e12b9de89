// Collectives drawn at random: 5,000 seeded combinations of operation, algorithm, ranks, size, type, protocol, mover and
// more, one in six of them in a switch, each verified symbolically, carried out, and compared in memory; and what damage
// does to both.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include <fmt/format.h>

#include "collectives/schedule/protocol/protocol.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace property_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr unsigned combinations = 5000;
constexpr unsigned batches = 40;
constexpr unsigned gpus = 8;
constexpr unsigned in_switch_once_in = 6;

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}
    // 0 to `most`; the same everywhere, which the standard's distributions are not.
    std::uint32_t upto(std::uint32_t most) { return static_cast<std::uint32_t>(random_() % (std::uint64_t{most} + 1)); }
    template <typename T>
    T one_of(const std::vector<T>& values)
    {
        return values[upto(static_cast<std::uint32_t>(values.size() - 1))];
    }
    bool once_in(std::uint32_t times) { return upto(times - 1) == 0; }

private:
    std::mt19937_64 random_;
};

struct Combination {
    CollectiveOp op = CollectiveOp::all_reduce;
    std::string algorithm;
    std::vector<std::uint32_t> members;
    std::uint64_t bytes = 0;
    ElementType type = ElementType::u8;
    AlgorithmOptions options;
    EngineSpec engine;
    std::vector<Picoseconds> delays;

    std::string text() const
    {
        return fmt::format("{} {}, {} ranks, {} B of {}, {} channels, root {}, pipeline {}, {}, mover {}, channel {}, "
                           "{} slices, flags at {}, {} slots of {} B",
            name_of(op), algorithm, members.size(), bytes, name_of(type), options.channels, options.root,
            options.pipeline, name_of(engine.protocol), static_cast<int>(engine.mover),
            static_cast<int>(engine.channel), engine.slices, static_cast<int>(engine.flag_home),
            engine.staging != StagingMode::none ? engine.steps_in_flight : 0, engine.step_bytes);
    }
};

Combination draw(Draw& draw)
{
    Combination out;
    if (draw.once_in(in_switch_once_in)) {
        // All-reduce twice as often: it has more than half of the algorithms.
        out.op = draw.one_of<CollectiveOp>({CollectiveOp::all_reduce, CollectiveOp::all_reduce,
            CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::broadcast, CollectiveOp::reduce});
        out.algorithm = draw.one_of(algorithms_in_switch(out.op));
    } else {
        out.op = draw.one_of<CollectiveOp>({CollectiveOp::all_reduce, CollectiveOp::all_gather,
            CollectiveOp::reduce_scatter, CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce,
            CollectiveOp::gather, CollectiveOp::scatter, CollectiveOp::barrier});
        out.algorithm = draw.one_of(algorithms_without_switch(out.op));
    }
    std::vector<std::uint32_t> all;
    for (std::uint32_t g = 0; g < gpus; ++g) all.push_back(g);
    for (std::uint32_t i = gpus - 1; i > 0; --i) std::swap(all[i], all[draw.upto(i)]);
    out.members.assign(all.begin(), all.begin() + 1 + draw.upto(gpus - 1));
    const auto ranks = static_cast<std::uint32_t>(out.members.size());
    out.type = draw.one_of<ElementType>({ElementType::u8, ElementType::int32, ElementType::fp32, ElementType::bf16});
    const std::uint32_t elements = draw.once_in(4) ? draw.upto(40) : draw.upto(draw.once_in(10) ? 40'000 : 4'000);
    out.bytes = out.op == CollectiveOp::barrier ? 0 : std::uint64_t{1 + elements} * size_of(out.type);
    out.options.channels = 1 + draw.upto(3);
    out.options.root = has_root(out.op) ? draw.upto(ranks - 1) : 0;
    out.options.pipeline = 1 + draw.upto(4);
    out.options.reduction = draw.one_of<ReduceOp>({ReduceOp::sum, ReduceOp::min, ReduceOp::max});
    out.engine.channels = out.options.channels;
    out.engine.wavefronts = 1 + draw.upto(3);
    out.engine.unroll = 1 + draw.upto(3);
    out.engine.flag_home = static_cast<FlagHome>(draw.upto(1));
    const AlgorithmInfo* info = algorithm_info(out.op, out.algorithm);
    if (info->carrier == Carrier::put && draw.once_in(2)) {
        out.engine.protocol = draw.upto(1) == 0 ? Protocol::ll : Protocol::ll128;
    } else {
        out.engine.mover = static_cast<Mover>(draw.upto(2));
        out.engine.slices = 1 + draw.upto(2);
        if (out.engine.mover == Mover::units && draw.once_in(2)) out.engine.channel = EngineChannel::port;
        if (info->carrier == Carrier::put && draw.once_in(2)) {
            out.engine.staging = StagingMode::fifo;
            // Enough for all slices that a rank sends before it receives.
            out.engine.steps_in_flight = 1 + 2 * out.engine.slices + draw.upto(4);
            // Its threads send on what came by other threads: a slot for every chunk.
            if (out.algorithm == "multi_dim") out.engine.steps_in_flight = 64 * out.engine.slices;
            out.engine.step_bytes = draw.one_of<std::uint64_t>({1024, 4096, 512 << 10});
        }
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) out.delays.push_back(draw.once_in(3) ? draw.upto(5'000'000) : 0);
    return out;
}

bool in_a_switch(const Combination& drawn)
{
    return algorithm_info(drawn.op, drawn.algorithm)->carrier == Carrier::in_switch;
}

std::uint64_t seed_of(unsigned batch) { return 1000 + batch; }

BoxOptions switch_box(unsigned size)
{
    BoxOptions options = box(size);
    options.has_switch = true;
    options.hub.multicast_groups = 1023;  // a batch makes one for every set of members, type and reduction
    return options;
}

Job job_of(const Combination& drawn, std::shared_ptr<const Schedule> schedule)
{
    Job job;
    job.schedule = std::move(schedule);
    job.bytes = drawn.bytes;
    job.type = drawn.type;
    job.members = drawn.members;
    job.name = drawn.text();
    job.engine = drawn.engine;
    return job;
}

void carry_out(GpuBox& box, const Combination& drawn)
{
    SCOPED_TRACE(drawn.text());
    const auto schedule = std::make_shared<Schedule>(
        make_schedule(drawn.algorithm, drawn.op, static_cast<std::uint32_t>(drawn.members.size()), drawn.options));
    VerifyOptions sized;
    sized.bytes = drawn.bytes;
    sized.element_bytes = size_of(drawn.type);
    for (const VerifyOptions& options : {VerifyOptions{}, sized}) {
        const Verification verdict = verify(*schedule, options);
        ASSERT_TRUE(verdict.ok) << verdict.problems.front();
    }
    const std::uint64_t before = box.hub->operations();
    const Executor::JobId job = box.executor->open(job_of(drawn, schedule));
    for (std::uint32_t rank = 0; rank < drawn.members.size(); ++rank)
        box.executor->wait(0, drawn.delays[rank], [&box, job, rank] { box.executor->enter(job, rank, nullptr); });
    box.run();
    ASSERT_TRUE(box.record(job).finished);
    EXPECT_EQ(box.record(job).mismatch, "");
    EXPECT_EQ(box.record(job).checked, true);
    EXPECT_EQ(box.pool.live(), 0U);
    EXPECT_EQ(box.hub->operations() > before, in_a_switch(drawn) && drawn.members.size() > 1);
}

class Batch : public ::testing::TestWithParam<unsigned> {};

}  // namespace

TEST_P(Batch, EveryCombinationIsRightSymbolicallyAndInMemory)
{
    in_child([] {
        GpuBox one(switch_box(gpus));
        Draw random(seed_of(GetParam()));
        for (unsigned i = 0; i < combinations / batches && !::testing::Test::HasFailure(); ++i)
            carry_out(one, draw(random));
        return std::string();
    });
}

INSTANTIATE_TEST_SUITE_P(Property, Batch, ::testing::Range(0U, batches));

TEST(Drawn, EveryAlgorithmOftenEnoughAndASixthInASwitch)
{
    std::map<std::pair<CollectiveOp, std::string>, unsigned> times;
    unsigned in_switch = 0;
    for (unsigned batch = 0; batch < batches; ++batch) {
        Draw random(seed_of(batch));
        for (unsigned i = 0; i < combinations / batches; ++i) {
            const Combination drawn = draw(random);
            ++times[{drawn.op, drawn.algorithm}];
            in_switch += in_a_switch(drawn) ? 1 : 0;
        }
    }
    EXPECT_NEAR(in_switch, 1.0 * combinations / in_switch_once_in, 60);
    for (int op = 0; op < static_cast<int>(CollectiveOp::send_receive); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op)))
            EXPECT_GE((times[{static_cast<CollectiveOp>(op), name}]), 15U) << op << " " << name;
}

namespace {

// An all-reduce of four with `damage`: whether the verifier finds it, and what became of it in memory.
struct Outcome {
    bool verified = false;
    bool finished = false;
    bool right = false;
};

Outcome outcome_of(const std::function<void(Schedule&)>& damage, const char* algorithm = "ring")
{
    Outcome out;
    auto schedule = std::make_shared<Schedule>(make_schedule(algorithm, CollectiveOp::all_reduce, 4));
    damage(*schedule);
    out.verified = verify(*schedule).ok;
    const std::string text = in_child([&] {
        BoxOptions options = switch_box(4);
        options.gpu.wait_policy = WaitPolicy::waiting_atomic;
        GpuBox one(options);
        const Executor::JobId job = one.open(schedule, 40'000, ElementType::fp32);
        one.enter_all(job);
        one.run();
        return std::string(one.record(job).finished ? "f" : "-") + (one.record(job).mismatch.empty() ? "r" : "-");
    });
    out.finished = text[0] == 'f';
    out.right = out.finished && text[1] == 'r';
    return out;
}

std::vector<Step>& steps(Schedule& schedule, std::uint32_t rank) { return schedule.ranks[rank].threads[0].steps; }

std::size_t nth(const Schedule& schedule, std::uint32_t rank, StepKind kind, unsigned n)
{
    const std::vector<Step>& all = schedule.ranks[rank].threads[0].steps;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].kind == kind && n-- == 0) return i;
    return all.size();
}

void drop(Schedule& schedule, std::uint32_t rank, StepKind kind, unsigned n)
{
    std::vector<Step>& all = steps(schedule, rank);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(nth(schedule, rank, kind, n)));
}

}  // namespace

TEST(Damage, NoneIsRight)
{
    for (const char* algorithm : {"ring", "nvls", "nvls_one_shot", "push_reduce", "nvls_tree"}) {
        const Outcome outcome = outcome_of([](Schedule&) {}, algorithm);
        EXPECT_TRUE(outcome.verified && outcome.finished && outcome.right) << algorithm;
    }
}

TEST(Damage, AStepThatTheSwitchIsNotGivenIsCaughtTwice)
{
    for (std::uint32_t rank = 0; rank < 4; ++rank)
        for (const auto& [algorithm, kind] : {std::pair("nvls", StepKind::reduce_multicast),
                 std::pair("nvls_one_shot", StepKind::load_reduce), std::pair("push_reduce", StepKind::push_reduce)}) {
            const Outcome outcome =
                outcome_of([rank, kind = kind](Schedule& schedule) { drop(schedule, rank, kind, 0); }, algorithm);
            EXPECT_FALSE(outcome.verified) << algorithm << " " << rank;
            EXPECT_FALSE(outcome.right) << algorithm << " " << rank;
        }
}

TEST(Damage, AMemberThatIsLeftOutOfAGroupIsCaughtTwice)
{
    const auto leave_out = [](bool source) {
        return outcome_of(
            [source](Schedule& schedule) {
                Step& step = steps(schedule, 1)[nth(schedule, 1, StepKind::reduce_multicast, 0)];
                (source ? step.sources : step.destinations).pop_back();
            },
            "nvls");
    };
    for (const bool source : {true, false}) {
        const Outcome outcome = leave_out(source);
        EXPECT_FALSE(outcome.verified) << source;
        EXPECT_FALSE(outcome.right) << source;
    }
}

TEST(Damage, ADroppedStepIsCaughtTwice)
{
    for (unsigned n = 0; n < 6; ++n) {
        const Outcome outcome = outcome_of([n](Schedule& schedule) { drop(schedule, 1, StepKind::move, n); });
        EXPECT_FALSE(outcome.verified) << n;
        EXPECT_FALSE(outcome.right) << n;
    }
}

TEST(Damage, ASwappedChunkIsCaughtTwice)
{
    for (unsigned n = 1; n < 6; ++n) {
        const Outcome outcome = outcome_of([n](Schedule& schedule) {
            Step& step = steps(schedule, 2)[nth(schedule, 2, StepKind::move, n)];
            step.sources.back().index = (step.sources.back().index + 1) % 3;
        });
        EXPECT_FALSE(outcome.verified) << n;
        EXPECT_FALSE(outcome.right) << n;
    }
}

// Without its wait a rank goes on with what is not there yet.
TEST(Damage, AMissingWaitIsCaughtTwice)
{
    const Outcome outcome = outcome_of([](Schedule& schedule) { drop(schedule, 3, StepKind::wait, 0); });
    EXPECT_FALSE(outcome.verified);
    EXPECT_FALSE(outcome.right);
}

TEST(Damage, AMissingSignalIsCaughtTwice)
{
    const Outcome outcome = outcome_of([](Schedule& schedule) { drop(schedule, 0, StepKind::signal, 1); });
    EXPECT_FALSE(outcome.verified);
    EXPECT_FALSE(outcome.finished);
}

}  // namespace property_test
