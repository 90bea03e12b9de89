// What comes from memory at flow fidelity: bytes that a rank has from the beginning, the first time that anybody reads them.
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"
#include "testbenches/synthesis/graphs.h"

namespace first_reads_flow_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t cold_ps = 183'700;

// All-gather between two ranks, one put each, from this buffer.
Schedule gather(Buffer from, bool in_place)
{
    Schedule out;
    out.op = CollectiveOp::all_gather;
    out.chunks = 2;
    out.in_place = in_place;
    out.ranks.resize(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        RankPlan& plan = out.ranks[rank];
        plan.input_chunks = 1;
        plan.output_chunks = 2;
        plan.semaphores = 1;
        const std::uint32_t chunk = from == Buffer::input ? 0 : rank;
        plan.threads = {{{move_step({{rank, from, chunk, 1}}, {{1 - rank, Buffer::output, rank, 1}}),
            signal_step(1 - rank, 0), wait_step(1 - rank, 0)}}};
    }
    return out;
}

// How much longer it takes because of what comes from memory. Registers for `sets` puts; 0: any.
std::uint64_t from_memory(const Schedule& schedule, std::uint32_t sets = 0)
{
    const FirstReads reads(schedule);
    const auto program = std::make_shared<const FlowProgram>(program_of(schedule, false, &reads));
    EstimateOptions options;
    options.bytes = 4096;
    CostGraph graph = mesh_graph(2);
    for (CostRank& rank : graph.ranks) {
        rank.sets = sets;
        rank.registers = 2048.0 * sets;
    }
    const std::uint64_t without = play(program, graph, options).end_ps;
    for (CostRank& rank : graph.ranks) rank.cold_ps = cold_ps;
    return play(program, graph, options).end_ps - without;
}

std::string step(unsigned number, const char* type, char from, unsigned source, char to, unsigned destination,
    unsigned count, const char* depends = "depid=\"-1\" deps=\"-1\"", unsigned depended = 0)
{
    return fmt::format(
        "<step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" {} "
        "hasdep=\"{}\"/>\n",
        number, type, from, source, to, destination, count, depends, depended);
}

std::string block(unsigned id, unsigned peer, const std::string& steps)
{
    return fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n{}</tb>\n", id, peer, peer, steps);
}

// All-reduce of four ranks by halving and doubling, a block for each of two peers. Sums are in `work`.
std::string halving(char work, bool in_place)
{
    std::string out = fmt::format("<algo name=\"halving\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"4\" "
                                  "ngpus=\"4\" coll=\"allreduce\" inplace=\"{}\">\n",
        in_place ? 1 : 0);
    for (unsigned rank = 0; rank < 4; ++rank) {
        const unsigned half = rank & 2U;
        const unsigned own = rank;
        const unsigned other = rank ^ 1U;
        out += fmt::format("<gpu id=\"{}\" i_chunks=\"4\" o_chunks=\"4\" s_chunks=\"0\">\n", rank);
        out += block(0, rank ^ 2U,
            step(0, "s", 'i', 2 - half, work, 2 - half, 2) +
                step(1, "rrc", 'i', half, work, half, 2, "depid=\"-1\" deps=\"-1\"", 1) +
                step(2, "s", work, half, work, half, 2, "depid=\"1\" deps=\"3\"") +
                step(3, "r", work, 2 - half, work, 2 - half, 2));
        out += block(1, other,
            step(0, "s", work, other, work, other, 1, "depid=\"0\" deps=\"1\"") +
                step(1, "rrc", work, own, work, own, 1) + step(2, "s", work, own, work, own, 1) +
                step(3, "r", work, other, work, other, 1, "depid=\"-1\" deps=\"-1\"", 1));
        out += "</gpu>\n";
    }
    return out + "</algo>\n";
}

// All-gather of two ranks that works in its output, with a block that copies the own part if it is not there.
std::string gathering(bool in_place)
{
    std::string out = fmt::format("<algo name=\"gathering\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\" "
                                  "ngpus=\"2\" coll=\"allgather\" inplace=\"{}\">\n",
        in_place ? 1 : 0);
    for (unsigned rank = 0; rank < 2; ++rank) {
        out += fmt::format("<gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"2\" s_chunks=\"0\">\n", rank, in_place ? 0 : 1);
        out += block(0, 1 - rank,
            step(0, "s", in_place ? 'o' : 'i', in_place ? rank : 0, 'o', rank, 1) +
                step(1, "r", 'o', 1 - rank, 'o', 1 - rank, 1));
        if (!in_place)
            out +=
                "<tb id=\"1\" send=\"-1\" recv=\"-1\" chan=\"0\">\n" + step(0, "cpy", 'i', 0, 'o', rank, 1) + "</tb>\n";
        out += "</gpu>\n";
    }
    return out + "</algo>\n";
}

struct Times {
    double lines = 0;
    double flow = 0;
};

Times times_of(const std::string& plan, unsigned ranks, const std::string& bytes)
{
    const test::ScratchFolder folder;
    std::ofstream(folder.file("plan.xml")) << plan;
    RunSetup setup;
    setup.document = mesh_document(ranks);
    setup.lines = "profile: generic\nworkload: {plan: " + folder.file("plan.xml") + ", bytes: " + bytes + "}\n";
    setup.options.progress = setup.options.data_on = false;
    const auto end = [](const RunResult& result) { return std::to_string(result.collectives.at(0).end_ps); };
    return {std::stod(in_timed_child([&] { return end(run_here(setup)); }, 60)),
        std::stod(in_timed_child([&] { return end(run_flow(resolve_setup(setup), setup.options)); }, 60))};
}

}  // namespace

TEST(FirstReadsFlow, TheFirstReadPaysForTheMemoryInAnyBuffer)
{
    EXPECT_EQ(from_memory(gather(Buffer::input, false)), cold_ps);
    EXPECT_EQ(from_memory(gather(Buffer::input, true)), cold_ps);
    EXPECT_EQ(from_memory(gather(Buffer::output, true)), cold_ps);
}

TEST(FirstReadsFlow, LaterReadsDoNot)
{
    for (const std::uint32_t puts : {2U, 5U}) {
        Schedule again = gather(Buffer::output, true);
        for (RankPlan& plan : again.ranks) {
            std::vector<Step>& steps = plan.threads[0].steps;
            steps.insert(steps.begin(), puts, Step(steps.front()));
        }
        EXPECT_EQ(from_memory(again), cold_ps);
    }
    // What it has written from scratch, it has not from memory.
    Schedule written = gather(Buffer::output, true);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        written.ranks[rank].scratch_chunks = 1;
        std::vector<Step>& steps = written.ranks[rank].threads[0].steps;
        steps.insert(steps.begin(), move_step({{rank, Buffer::scratch, 0, 1}}, {{rank, Buffer::output, rank, 1}}));
    }
    EXPECT_EQ(from_memory(written), 0U);
}

// Puts of one run that registers hold together ask for the same lines at once; those behind find them in the cache. Each set of
// registers paid for the memory.
TEST(FirstReadsFlow, ARunThatStoresTheSameManyTimesReadsMemoryOnce)
{
    for (const std::uint32_t puts : {2U, 3U, 6U})
        for (const std::uint32_t sets : {0U, 1U, 2U, 4U}) {
            Schedule run = gather(Buffer::input, false);
            for (RankPlan& plan : run.ranks) {
                std::vector<Step>& steps = plan.threads[0].steps;
                steps.insert(steps.begin(), puts - 1, Step(steps.front()));
                for (std::uint32_t s = 1; s < puts; ++s) steps[s].with_previous = true;
            }
            EXPECT_EQ(from_memory(run, sets), cold_ps) << puts << " puts, " << sets << " sets";
        }
}

TEST(FirstReadsFlow, APeerThatLoadsBehindAReadFindsItInTheCache)
{
    // Rank 1 loads the input of rank 0, which has read it before or not.
    const auto loads = [](bool read_before) {
        Schedule out = gather(Buffer::input, false);
        out.ranks[0].threads[0].steps = {move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}}),
            signal_step(1, 0)};
        if (!read_before) out.ranks[0].threads[0].steps.erase(out.ranks[0].threads[0].steps.begin());
        out.ranks[1].threads[0].steps = {wait_step(0, 0),
            move_step({{0, Buffer::input, 0, 1}}, {{1, Buffer::output, 0, 1}}),
            move_step({{0, Buffer::input, 0, 1}}, {{1, Buffer::output, 0, 1}})};
        return out;
    };
    EXPECT_EQ(from_memory(loads(true)), cold_ps);
    // The wire is busy with the 2 KiB meanwhile.
    EXPECT_EQ(from_memory(loads(false)), cold_ps - 2048);
}

// Both take the same time by lines to the picosecond.
TEST(FirstReadsFlow, SumsTakeAsLongInTheInputAsInTheOutput)
{
    const Times output = times_of(halving('o', false), 4, "4 KiB");
    for (const bool in_place : {false, true}) {
        const Times there = times_of(halving(in_place ? 'i' : 'o', in_place), 4, "4 KiB");
        EXPECT_EQ(there.flow, output.flow);
        EXPECT_EQ(there.lines, output.lines);
    }
    EXPECT_NEAR(output.flow / output.lines, 1, 0.09);
}

TEST(FirstReadsFlow, GathersInPlaceAndOutOfPlaceAreWithinATenthOfLines)
{
    for (const char* bytes : {"4 KiB", "64 KiB"})
        for (const bool in_place : {false, true}) {
            const Times times = times_of(gathering(in_place), 2, bytes);
            EXPECT_NEAR(times.flow / times.lines, 1, 0.1) << bytes << (in_place ? " in place" : "");
        }
}

}  // namespace first_reads_flow_test
