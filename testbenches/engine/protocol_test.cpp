// Collectives in packets and in slices: right in memory, of the right number of bytes, and found out when they cannot end.
#include <iterator>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/schedule/protocol/protocol.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"

namespace protocol_test {

using namespace weft;
using namespace weft::testing;

namespace {

const Protocol in_flags_of_data[] = {Protocol::ll, Protocol::ll128};

BoxOptions box_with(Protocol protocol, unsigned gpus = 2, std::uint64_t channels = 4)
{
    BoxOptions options = box(gpus);
    options.engine.protocol = protocol;
    options.engine.channels = channels;
    return options;
}

struct Wire {
    std::uint64_t payload = 0;  // of every link direction
    std::uint64_t bytes = 0;
};

// Of a ring of two, both directions alike: what crosses one of them.
Wire wire_of(const BoxOptions& options, CollectiveOp op, std::uint64_t bytes)
{
    const std::string text = in_child([&] {
        GpuBox box(options);
        const auto channels = static_cast<std::uint32_t>(options.engine.channels);
        const Executor::JobId job = box.open(schedule_of(op, "ring", options.gpus, channels), bytes, ElementType::u8);
        box.enter_all(job);
        box.run();
        EXPECT_EQ(box.record(job).mismatch, "");
        const Link::Direction out = box.links[0]->direction(0);
        return std::to_string(out.payload_bytes) + " " + std::to_string(out.wire_bytes);
    });
    return {std::stoull(text), std::stoull(text.substr(text.find(' ')))};
}

}  // namespace

TEST(ProtocolRun, EveryPutAlgorithmEndsRight)
{
    const std::pair<CollectiveOp, const char*> cases[] = {{CollectiveOp::all_reduce, "ring"},
        {CollectiveOp::all_reduce, "direct"}, {CollectiveOp::all_reduce, "one_shot"},
        {CollectiveOp::all_gather, "ring"}, {CollectiveOp::all_gather, "direct"},
        {CollectiveOp::reduce_scatter, "ring"}, {CollectiveOp::reduce_scatter, "direct"},
        {CollectiveOp::all_to_all, "direct"}, {CollectiveOp::all_to_all, "ring"}, {CollectiveOp::broadcast, "ring"},
        {CollectiveOp::broadcast, "direct"}};
    constexpr unsigned ranks[] = {2, 3, 5};
    constexpr std::uint64_t sizes[] = {4, 1000, 20000};
    for (const Protocol protocol : in_flags_of_data)
        for (std::size_t one = 0; one < std::size(cases); ++one)
            for (std::size_t at = 0; at < 9; ++at) {
                const std::size_t rank = at / 3;
                const std::size_t size = at % 3;
                // By default each number of ranks with one of the sizes, with another one in the next case.
                if (!weft::test::thorough() && (rank + size + one) % 3 != 0) continue;
                const auto& [op, algorithm] = cases[one];
                SCOPED_TRACE(std::string(name_of(op)) + " " + algorithm + " " + name_of(protocol) + ", " +
                    std::to_string(ranks[rank]) + " ranks, " + std::to_string(sizes[size]) + " B");
                EXPECT_GT(time_of(box_with(protocol, ranks[rank], 2), op, algorithm, sizes[size], ElementType::int32),
                    0u);
            }
}

TEST(ProtocolRun, TimesAreTheSameWithoutData)
{
    for (const Protocol protocol : in_flags_of_data) {
        BoxOptions options = box_with(protocol, 3);
        const std::uint64_t with = time_of(options, CollectiveOp::all_reduce, "ring", 50000);
        options.data_on = false;
        EXPECT_EQ(time_of(options, CollectiveOp::all_reduce, "ring", 50000), with);
    }
}

// Ring all-reduce of S over 2: each sends S/2 twice, in 4 channels.
TEST(ProtocolRun, BytesOnTheWireAreThoseOfTheProtocol)
{
    constexpr std::uint64_t bytes = 1 << 18;
    constexpr std::uint64_t part = bytes / 2 / 4;
    constexpr std::uint64_t lines = bytes / 64;
    const Wire simple = wire_of(box_with(Protocol::simple), CollectiveOp::all_reduce, bytes);
    const Wire ll = wire_of(box_with(Protocol::ll), CollectiveOp::all_reduce, bytes);
    const Wire ll128 = wire_of(box_with(Protocol::ll128), CollectiveOp::all_reduce, bytes);
    constexpr std::uint64_t signals = 2 * 4;
    EXPECT_EQ(simple.payload, bytes + signals * 8);
    // 80 B a line and 16 B for the acknowledge of each that comes; a signal 32 B and 16 B.
    EXPECT_EQ(simple.bytes, lines * 96 + signals * 48);
    EXPECT_EQ(ll.payload, 2 * bytes);
    EXPECT_EQ(ll.bytes, 2 * lines * 96);
    constexpr std::uint64_t packets = 2 * 4 * ((part + 119) / 120);
    EXPECT_EQ(ll128.payload, packets * 128);
    EXPECT_EQ(ll128.bytes, packets * 2 * 96);
}

TEST(ProtocolRun, PacketsWinWhenSmallAndLoseWhenLarge)
{
    const auto time = [](Protocol protocol, std::uint64_t bytes) {
        return time_of(box_with(protocol, 4), CollectiveOp::all_reduce, "ring", bytes);
    };
    EXPECT_LT(time(Protocol::ll, 4096), time(Protocol::simple, 4096));
    EXPECT_LT(time(Protocol::ll128, 4096), time(Protocol::simple, 4096));
    const std::uint64_t packets = time(Protocol::ll, 1 << 19);
    EXPECT_GT(packets, time(Protocol::simple, 1 << 19));
    EXPECT_GT(packets, time(Protocol::ll128, 1 << 19));
}

// The longer the link, the larger the messages up to which packets win.
TEST(ProtocolRun, ALongerLinkFavoursPackets)
{
    const auto gain = [](std::uint64_t latency) {
        BoxOptions options = box_with(Protocol::ll);
        options.link.latency = latency;
        const std::uint64_t ll = time_of(options, CollectiveOp::all_reduce, "ring", 65536);
        options.engine.protocol = Protocol::simple;
        return static_cast<double>(time_of(options, CollectiveOp::all_reduce, "ring", 65536)) / static_cast<double>(ll);
    };
    EXPECT_GT(gain(5'000'000), gain(500'000));
}

TEST(ProtocolRun, FencesCostWhatTheyTake)
{
    const auto time = [](Protocol protocol, bool fenced, std::uint64_t latency) {
        BoxOptions options = box_with(protocol, 2, 1);
        options.engine.ll128_fence = fenced;
        options.gpu.fence_latency = latency;
        options.gpu.wait_policy = WaitPolicy::waiting_atomic;
        return time_of(options, CollectiveOp::all_gather, "direct", 4096);
    };
    // One step: its signal is a fence; of packets only the fence that is asked for, which has nothing to wait for.
    EXPECT_EQ(time(Protocol::simple, false, 700'000), time(Protocol::simple, false, 0) + 700'000);
    EXPECT_EQ(time(Protocol::ll128, false, 700'000), time(Protocol::ll128, false, 0));
    EXPECT_EQ(time(Protocol::ll128, true, 700'000), time(Protocol::ll128, false, 0) + 700'000);
    EXPECT_EQ(time(Protocol::ll, true, 700'000), time(Protocol::ll, false, 0));
}

TEST(ProtocolRun, AFenceWaitsForTheStoresOfTheStepBefore)
{
    const auto time = [](bool fenced) {
        BoxOptions options = box_with(Protocol::ll128, 4, 1);
        options.engine.ll128_fence = fenced;
        options.link.latency = 2'000'000;
        return time_of(options, CollectiveOp::all_reduce, "ring", 4096);
    };
    // In five of six steps nothing is heard of the store before for another way over the link.
    EXPECT_GT(time(1), time(0) + 4 * 2'000'000);
}

// Down a chain of five in eight chunks: twice as many parts fill it earlier.
TEST(ProtocolRun, SlicesLetTheNextRankBegin)
{
    const auto time = [](std::uint64_t slices, std::uint64_t bytes) {
        BoxOptions options = box_with(Protocol::simple, 5, 1);
        options.engine.slices = slices;
        return time_of(options, CollectiveOp::broadcast, "ring", bytes);
    };
    EXPECT_LT(time(2, 2 << 20), time(1, 2 << 20));
    // Nothing to overlap: every slice costs a fence and a signal.
    EXPECT_GT(time(2, 4096), time(1, 4096));
}

// Packets of the job before lie in the same memory.
TEST(ProtocolRun, EveryInstanceWaitsForItsOwnPackets)
{
    EXPECT_NE(in_child([] {
        GpuBox box(box_with(Protocol::ll, 3));
        const auto schedule = schedule_of(CollectiveOp::all_reduce, "ring", 3, 4);
        Executor::JobId last = 0;
        for (int round = 0; round < 3; ++round) {
            last = box.open(schedule, 30000, ElementType::int32);
            // The last rank is late, so that nobody may go by what is there.
            for (std::uint32_t rank = 0; rank < 2; ++rank) box.executor->enter(last, rank, nullptr);
            box.executor->wait(0, 50'000'000, [&box, last] { box.executor->enter(last, 2, nullptr); });
            box.run();
            EXPECT_TRUE(box.record(last).finished);
            EXPECT_EQ(box.record(last).mismatch, "");
            EXPECT_GT(box.record(last).end, box.record(last).start + 50'000'000);
        }
        return std::to_string(last);
    }),
        "");
}

TEST(ProtocolRun, ADroppedStoreIsNamed)
{
    for (const Protocol protocol : in_flags_of_data)
        EXPECT_EQ(in_child([&] {
            GpuBox box(box_with(protocol, 4));
            auto schedule = std::make_shared<Schedule>(in_packets(*schedule_of(CollectiveOp::all_reduce, "ring", 4)));
            schedule->ranks[1].threads[0].steps[0] = Step{};
            const Executor::JobId job = box.open(schedule, 4096, ElementType::u8);
            box.enter_all(job);
            box.run();
            EXPECT_FALSE(box.record(job).finished);
            EXPECT_TRUE(box.cannot_progress());
            std::string text;
            for (const std::string& line : box.executor->blocked()) text += line + "\n";
            return text;
        }),
            "gpu0 (rank 0 of all_reduce ring): step 3 waits for packets in slot 2 from rank 3\n"
            "gpu1 (rank 1 of all_reduce ring): step 4 waits for packets in slot 3 from rank 0\n"
            "gpu2 (rank 2 of all_reduce ring): step 1 waits for packets in slot 0, which no rank stores\n"
            "gpu3 (rank 3 of all_reduce ring): step 2 waits for packets in slot 1 from rank 2\n");
}

TEST(ProtocolRun, OnlyUnitsStoreFlags)
{
    for (const Mover mover : {Mover::copy_engine, Mover::bulk})
        in_child([mover] {
            BoxOptions options = box_with(Protocol::ll);
            options.engine.mover = mover;
            GpuBox box(options);
            try {
                box.open(schedule_of(CollectiveOp::all_gather, "ring", 2), 4096, ElementType::u8);
                ADD_FAILURE() << "opened";
            } catch (const InputError& error) {
                EXPECT_EQ(std::string(error.what()),
                    "ring: packets with engine.mover other than units: only units store and poll packets; expected "
                    "engine.mover=units, or engine.protocol=simple");
            }
            return std::string();
        });
}

TEST(ProtocolRun, ABarrierIsTheSame)
{
    const auto time = [](Protocol protocol) {
        return in_child([protocol] {
            GpuBox box(box_with(protocol, 4));
            const Executor::JobId job = box.open(schedule_of(CollectiveOp::barrier, "direct", 4), 0, ElementType::u8);
            box.enter_all(job);
            box.run();
            EXPECT_TRUE(box.record(job).finished);
            return std::to_string(box.record(job).end);
        });
    };
    EXPECT_EQ(time(Protocol::ll), time(Protocol::simple));
}

}  // namespace protocol_test
