// Turns at a link: who goes next, and what follows for the ends of transfers.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "collectives/flow/links/input_turns.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/configuration/resolution/resolve.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace input_turns_test {

using namespace weft;
using namespace weft::testing;
using chakra::testing::Folder;
using chakra::testing::NodeText;

namespace {

// Senders 0, 1 and 2 send to 3: 0 and 1 by links of their own and then by one that both share, 2 by a link of its own, and all by
// the last link. `buffer` bytes behind each of them.
struct Merge {
    explicit Merge(double buffer, double packet = 0)
    {
        CostLink link;
        link.ps_per_byte = 10;
        link.packet_time_ps = packet * link.ps_per_byte;
        link.buffer = buffer;
        links.assign(5, link);
        for (std::uint32_t sender = 0; sender < 3; ++sender) path[sender] = book.find(sender, 3);
    }

    static CostPath way(std::uint32_t from, std::uint32_t)
    {
        CostPath out;
        out.neighbours = true;
        for (const std::uint32_t link : from < 2 ? std::vector{from, 3U, 4U} : std::vector{2U, 4U})
            out.stages.push_back({0, {{link, 1}}});
        return out;
    }
    std::uint32_t last() const { return book.stage(book.path(path[2]), 1).first; }

    void wait(std::uint32_t sender, double bytes)
    {
        const std::uint32_t number = static_cast<std::uint32_t>(senders.size());
        senders.push_back(sender);
        turns.add(path[sender], sender < 2 ? 2 : 1, {last()}, number, bytes);
    }
    // The senders in their order, until nothing waits or `most` have passed.
    std::string order(std::size_t most = 100)
    {
        std::string out;
        while (turns.waits(last()) && out.size() < most) out += std::to_string(senders[turns.next(last()).transfer]);
        return out;
    }

    std::vector<CostLink> links;
    PathBook book{links, way};
    InputTurns turns{book};
    std::uint32_t path[3]{};
    std::vector<std::uint32_t> senders;
};

}  // namespace

// Half for the sender with a link of its own, a quarter for each of the two that share one.
TEST(InputTurns, EachSwitchOnTheWaySharesAmongItsInputs)
{
    Merge merge(100);
    for (int i = 0; i < 4; ++i)
        for (std::uint32_t sender = 0; sender < 3; ++sender) merge.wait(sender, 100);
    EXPECT_EQ(merge.order(8), "02120212");
    EXPECT_EQ(merge.order(), "0101") << "and what is left for those who have something";
}

TEST(InputTurns, BytesCountNotTransfers)
{
    Merge merge(100);
    for (int i = 0; i < 4; ++i) merge.wait(0, 100);
    for (int i = 0; i < 2; ++i) merge.wait(2, 200);
    EXPECT_EQ(merge.order(), "020020");
}

// A transfer that comes over the shared link passes after those that are in its buffer already, even if its sender has been given less.
TEST(InputTurns, ALateTransferWaitsForWhatIsInTheBuffersOnItsWay)
{
    for (const auto& [buffer, expected] : {std::pair{400.0, "000010000"}, std::pair{100.0, "010000000"}}) {
        Merge merge(buffer);
        for (int i = 0; i < 8; ++i) merge.wait(0, 100);
        merge.wait(1, 100);
        EXPECT_EQ(merge.order(), expected) << buffer;
    }
}

TEST(InputTurns, ASenderThatHadNothingDoesNotGetItsTurnsLater)
{
    Merge merge(100);
    for (int i = 0; i < 8; ++i) merge.wait(0, 100);
    EXPECT_EQ(merge.order(4), "0000");
    for (int i = 0; i < 4; ++i) merge.wait(2, 100);
    EXPECT_EQ(merge.order(), "20202020");
}

TEST(InputTurns, APacketIsNotInterrupted)
{
    Merge merge(100, 200);
    for (int i = 0; i < 4; ++i)
        for (const std::uint32_t sender : {0U, 2U}) merge.wait(sender, 100);
    EXPECT_EQ(merge.order(), "00220022");
}

namespace {

// Ranks 0 and 1 are at one leaf of clos_8, 2 and 3 at another. 0, 1 and 2 send `bytes` to rank 7 at once.
ResolvedSystem hot_spot(const Folder& folder, std::int64_t bytes)
{
    constexpr unsigned send = 5;
    constexpr unsigned receive = 6;
    constexpr unsigned compute = 4;
    std::vector<std::vector<std::string>> ranks(8, {std::string()});
    for (auto& rank : ranks) rank = {NodeText(100, compute).micros(1).flag("is_cpu_op", true)};
    for (const std::int64_t sender : {0, 1, 2}) {
        const auto message = [&](std::uint64_t id, unsigned type) {
            return NodeText(id, type)
                .integer("comm_src", sender)
                .integer("comm_dst", 7)
                .integer("comm_tag", sender)
                .integer("comm_size", bytes);
        };
        ranks[static_cast<std::size_t>(sender)].push_back(message(1, send));
        ranks[7].push_back(message(1 + static_cast<std::uint64_t>(sender), receive));
    }
    SystemDescription description = read_system_file(std::string(WEFT_SOURCE_DIR) + "/examples/clos_8/system.yaml");
    description.workload = {};
    description.workload.kind = Workload::Kind::trace;
    description.workload.trace = folder.write_set(ranks);
    return load_system(description);
}

}  // namespace

// The link to rank 7 passes half of rank 2's bytes and a quarter of each other's, once buffers on the way are full: of 2 MiB rank 2
// ends at 394 us, the others at 524 us. First come, first served, all of them ended at 524 us.
TEST(InputTurns, EachSenderToAHotSpotEndsAsByLines)
{
    const Folder folder;
    RunOptions options;
    options.progress = options.data_on = false;
    for (const std::int64_t bytes : {256 << 10, 2 << 20}) {
        const ResolvedSystem system = hot_spot(folder, bytes);
        const RunResult flow = run_flow(system, options);
        std::istringstream lines(in_timed_child(
            [&] {
                std::string out;
                for (const RankResult& rank : run_system(system, ModelRegistry(), options).ranks)
                    out += std::to_string(rank.finish_ps) + " ";
                return out;
            },
            60));
        for (std::size_t rank = 0; rank < 8; ++rank) {
            double expected = 0;
            ASSERT_TRUE(lines >> expected);
            EXPECT_NEAR(static_cast<double>(flow.ranks[rank].finish_ps), expected, 0.01 * expected) << rank;
        }
    }
}

}  // namespace input_turns_test
