// What is published of small and medium sized collectives, beside what comes out here: docs/validation.md.
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace published_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr double ps_in_us = 1e6;

double us(const RunSetup& setup)
{
    const Json result = run(setup, 300);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 300);
    return result.value("simulated_ps", 0.0) / ps_in_us;
}

// Ring all-reduce of 1 MiB over eight GPUs under a Clos network: 14 steps of 128 KiB at 100 Gb/s.
constexpr double clos_published = 165.98;
constexpr double clos_payload = 14 * 131'072 / 12'500.0;

RunSetup clos(const std::string& document, const std::vector<std::string>& sets)
{
    RunSetup setup;
    setup.document = document;
    setup.lines = collective_lines("all_reduce", "ring", "1 MiB");
    setup.sets = sets;
    setup.options.data_on = false;
    return setup;
}

// The kernels of TensorRT-LLM on H100: blocks of 512 threads that load 16 B of every copy each, one after the other.
double staged(unsigned ranks, bool two_shots, const std::string& bytes, const std::string& unroll = "1")
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n" +
        collective_lines("all_reduce", two_shots ? "two_shot_staged" : "one_shot_staged", bytes,
            "ranks: " + std::to_string(ranks));
    setup.sets = {"engine.unroll=" + unroll, "engine.channels=" + std::string(two_shots ? "32" : "36"),
        "engine.channel_bytes=" + std::to_string(two_shots ? 8 * ranks : 8) + " KiB"};
    setup.options.data_on = false;
    return us(setup);
}

// Time in us of kernels of TensorRT-LLM on 2, 4 and 8 H100, without a graph (SGLang pull request 2904): all rows. One-shot up
// to 128 KiB, then two-shot on 4 and 8.
struct Row {
    unsigned ranks;
    const char* bytes;
    bool two_shots;
    double measured;
    double simulated;  // without launch, as it came out when this was written
};
const Row rows[] = {{2, "2 KiB", false, 3.7, 2.184}, {2, "16 KiB", false, 3.9, 2.292},
    {2, "128 KiB", false, 4.5, 2.484}, {2, "1 MiB", false, 7.9, 6.780}, {2, "2 MiB", false, 12.5, 11.62},
    {2, "4 MiB", false, 19.9, 20.451}, {4, "2 KiB", false, 4.8, 2.207}, {4, "16 KiB", false, 3.7, 2.387},
    {4, "128 KiB", false, 4.8, 3.500}, {4, "1 MiB", true, 13.9, 10.239}, {4, "2 MiB", true, 20.2, 16.159},
    {4, "4 MiB", true, 31.1, 28.463}, {8, "2 KiB", false, 5.9, 2.257}, {8, "16 KiB", false, 5.7, 3.532},
    {8, "128 KiB", false, 7.8, 6.611}, {8, "1 MiB", true, 16.7, 15.603}, {8, "2 MiB", true, 22.1, 20.682},
    {8, "4 MiB", true, 33.8, 34.266}};
constexpr std::size_t row_count = std::size(rows);
constexpr double row_bound = 0.2;     // of the measured time
constexpr double growth_bound = 0.2;  // of the measured growth from a size to the next, or
constexpr double resolution = 0.5;    // us: one table falls by 1.1 us from 2 to 16 KiB, so small growths are noise

// Rows and growths that the model misses, with the error in per cent or in us. A better model must take its entry away.
const std::map<std::string, double> missed_rows = {{"8 ranks, 2 KiB", -32.4}};
const std::map<std::string, double> missed_growths = {{"2 ranks, 128 KiB to 1 MiB", 0.90},
    {"4 ranks, 2 KiB to 16 KiB", 1.28}, {"4 ranks, 128 KiB to 1 MiB", -2.36}, {"8 ranks, 2 KiB to 16 KiB", 1.47},
    {"8 ranks, 16 KiB to 128 KiB", 0.98}};

std::string name_of_row(const Row& row) { return std::to_string(row.ranks) + " ranks, " + row.bytes; }

// Holds what is beyond a bound to the list of known misses.
void expect_known(const std::map<std::string, double>& known, const std::string& what, bool within, double error,
    double tolerance)
{
    const auto found = known.find(what);
    EXPECT_EQ(within, found == known.end())
        << what << ": error " << error << (within ? ", no longer a miss" : ", a new miss");
    if (found == known.end()) return;
    EXPECT_NEAR(error, found->second, tolerance) << what;
}

}  // namespace

// The library changes at 1 MiB for four, vLLM at 512 KiB; for eight at 512 and at 256 KiB.
TEST(SmallAllReduce, CrossesWhereTheLibrariesChangeTheirKernel)
{
    EXPECT_LT(staged(4, false, "512 KiB"), staged(4, true, "512 KiB"));
    EXPECT_GT(staged(4, false, "1 MiB"), staged(4, true, "1 MiB"));
    EXPECT_LT(staged(8, false, "256 KiB"), staged(8, true, "256 KiB"));
    EXPECT_GT(staged(8, false, "512 KiB"), staged(8, true, "512 KiB"));
}

// What a launch takes is not published. It is one constant for all rows, fitted here by least squares and so no part of the
// proof: what it cannot hide are the 15 growths from a size to the next, from which it drops out.
TEST(SmallAllReduce, AllRowsOfTheMeasuredTables)
{
    double simulated[row_count];
    double launch = 0;
    for (std::size_t i = 0; i < row_count; ++i) {
        // By default the shorter ones are simulated, and for the others the table is taken at its word.
        const std::string size = rows[i].bytes;
        const bool is_long = size == "4 MiB" || size == "2 MiB" || (size == "1 MiB" && rows[i].ranks == 8);
        simulated[i] = is_long && !weft::test::thorough() ? rows[i].simulated
                                                          : staged(rows[i].ranks, rows[i].two_shots, rows[i].bytes);
        EXPECT_NEAR(simulated[i], rows[i].simulated, 0.0051) << name_of_row(rows[i]);
        launch += (rows[i].measured - simulated[i]) / row_count;
    }
    EXPECT_NEAR(launch, 1.733, 0.005) << "fitted";
    double mean = 0;
    for (std::size_t i = 0; i < row_count; ++i) {
        const double error = (simulated[i] + launch) / rows[i].measured - 1;
        mean += std::abs(error) / row_count;
        expect_known(missed_rows, name_of_row(rows[i]), std::abs(error) <= row_bound, 100 * error, 0.3);
    }
    EXPECT_NEAR(100 * mean, 9.3, 0.2);
    for (std::size_t i = 1; i < row_count; ++i) {
        if (rows[i].ranks != rows[i - 1].ranks) continue;
        const double measured = rows[i].measured - rows[i - 1].measured;
        const double error = simulated[i] - simulated[i - 1] - measured;
        expect_known(missed_growths, name_of_row(rows[i - 1]) + " to " + rows[i].bytes,
            std::abs(error) <= std::max(resolution, growth_bound * measured), error, 0.02);
    }
}

// Seven loads of peers' sums one after the other, or at once; then the wire takes a little of what that saves.
TEST(SmallAllReduce, LoadsInFlightAreWhatTheSecondShotWaitsFor)
{
    const double saved = staged(8, true, "1 MiB") - staged(8, true, "1 MiB", "8");
    EXPECT_GT(saved, 0.8 * 7 * 0.826);
    EXPECT_LT(saved, 7 * 0.826);
}

TEST(AstraRing, ThePageHasWhatComesOut)
{
    const std::string page = read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/validation.md");
    const auto shown = [](const std::vector<std::string>& sets) {
        RunSetup setup;
        const std::string folder = std::string(WEFT_SOURCE_DIR) + "/examples/astra_ring_8/";
        setup.document = folder + "ring_8.yaml";
        setup.lines = "profile: generic\nbind:\n- {nodes: {component: xpu}, kind: xpu}\nrouting: {cycles: allow}\n" +
            collective_lines("all_reduce", "ring", "1 MiB");
        setup.sets = sets;
        setup.options.data_on = false;
        return fmt::format("{:.2f}", us(setup));
    };
    const auto expect = [&page](const std::string& text) { EXPECT_NE(page.find(text), std::string::npos) << text; };
    const std::string polls = shown({});
    expect("(ASTRA-sim, analytical) | " + polls + " us |");
    expect("| total | 64.44 | " + polls + " |");
    std::vector<std::string> sets = {"gpu.wait_policy=waiting_atomic"};
    expect("With waiting atomics instead of polls the same run takes " + shown(sets) + " us;");
    sets.emplace_back("link.header=0");
    expect("packet headers in addition " + shown(sets) + " us,");
    sets.emplace_back("links.hop.latency=1ps");
    expect("without link latency in addition " + shown(sets) + " us.");
}

TEST(ClosRing, WithinATenthOfThePublishedTimeAndAsThePageHasIt)
{
    const double simulated = us(clos(example("clos_8"), {}));
    EXPECT_NEAR(simulated / clos_published, 1, 0.1);
    const std::string page = read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/validation.md");
    const std::string total = fmt::format("| total | {:.2f} | {:.2f} |", clos_published, simulated);
    EXPECT_NE(page.find(total), std::string::npos) << total;
}

// The same network with two accelerators and two cards at each server: a flow has one of the cards.
TEST(ClosRing, InTheSharedDocumentToo)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    EXPECT_NEAR(us(clos(shared_document("closfabric"), {"routing.path_selection=pairs"})) / clos_published, 1, 0.1);
}

// Taken away one after the other, until the payload is left on the wire.
TEST(ClosRing, EveryPartOfTheDifferenceIsAParameter)
{
    const std::vector<std::vector<std::string>> parts = {{"*.link.latency=1ps"}, {"*.switch.latency=1ps"},
        {"*.link.packet_overhead=0", "*.link.header=0", "*.link.message_header=0", "*.link.message_answer=0"},
        {"*.switch.message_overhead=1ps", "*.switch.message_interval=1ps"}};
    std::vector<std::string> sets;
    double before = us(clos(example("clos_8"), sets));
    for (const std::vector<std::string>& part : parts) {
        sets.insert(sets.end(), part.begin(), part.end());
        const double now = us(clos(example("clos_8"), sets));
        EXPECT_LT(now, before) << part.front();
        before = now;
    }
    EXPECT_GT(before, clos_payload);
    EXPECT_LT(before, clos_payload * 1.01);
}

}  // namespace published_test
