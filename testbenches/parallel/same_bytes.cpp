#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/thorough.h"

#include <iterator>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/applications/flow/run_mixed.h"
#include "platform/result/report.h"

namespace weft::testing {

namespace {

constexpr unsigned most_seconds = 200;

}  // namespace

std::string difference(const std::string& a, const std::string& b)
{
    if (a == b) return "";
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    const std::size_t from = at < 120 ? 0 : at - 120;
    return "at byte " + std::to_string(at) + ":\n" + a.substr(from, 240) + "\n-- and --\n" + b.substr(from, 240);
}

std::string bytes_of(RunSetup setup, const Cut& cut)
{
    setup.options.partitions = cut.partitions;
    setup.options.threads = cut.threads;
    setup.options.backwards = cut.backwards;
    setup.options.progress = false;
    return in_timed_child(
        [&setup] {
            try {
                const auto run = setup.options.lines.empty() ? run_system : run_mixed;
                const RunResult result = run(resolve_setup(setup), ModelRegistry(), setup.options);
                std::string text = result_json(result, false);
                for (const std::string& line : result.blocked) text += line + "\n";
                return text + result.series + result.timeline + result.record;
            } catch (const InputError& error) {
                return std::string("refused: ") + error.what();
            }
        },
        most_seconds);
}

void expect_same(const RunSetup& setup, const std::vector<std::uint32_t>& numbers, const std::string& what)
{
    const std::string whole = bytes_of(setup, {});
    ASSERT_NE(whole.substr(0, 8), "refused:") << what << whole;
    ASSERT_GT(whole.size(), 1000U) << what;
    struct Way {
        bool backwards;
        std::uint32_t threads;
        const char* text;
    };
    const Way ways[] = {{true, 1, ", the last first"}, {false, 2, ", 2 threads"}, {false, 1, ""}};
    constexpr std::size_t always = 2;  // what no order changes, forwards in one thread does not
    // By default each number has one of the ways in turn, and the last number the first two where they are left.
    for (std::size_t i = 0; i < numbers.size(); ++i)
        for (std::size_t way = 0; way < std::size(ways); ++way) {
            const bool left = i + 1 == numbers.size() && way > i && way < always;
            if (!test::thorough() && way != i % std::size(ways) && !left) continue;
            const Cut cut{numbers[i], ways[way].backwards, ways[way].threads};
            EXPECT_EQ(difference(whole, bytes_of(setup, cut)), "")
                << what << " in " << numbers[i] << " parts" << ways[way].text;
        }
}

std::string refusal_of(const RunSetup& setup, std::uint32_t partitions)
{
    const std::string text = bytes_of(setup, {partitions});
    return text.substr(0, 9) == "refused: " ? text.substr(9) : "not refused";
}

std::string pods_document(unsigned pods, unsigned gpus, unsigned switches, unsigned near_ns, unsigned far_ns)
{
    return "name: pods\ndevices:\n- name: pod\n  components:\n  - {name: xpu, choice: xpu, count: " +
        std::to_string(gpus) + "}\n  - {name: sw, choice: switch, count: " + std::to_string(switches) +
        "}\n  links:\n  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 30}, "
        "latency: {ns: " +
        std::to_string(near_ns) +
        "}}}\n  edges:\n  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
        "- name: core\n  components:\n  - {name: asic, choice: switch, count: 1}\n  links: []\n  edges: []\n"
        "instances:\n- {name: p, device: pod, count: " +
        std::to_string(pods) +
        "}\n- {name: c, device: core, count: 2}\nlinks:\n- {name: trunk, description: Ethernet, physical: {bandwidth: "
        "{gigabytes_per_second: 40}, latency: {ns: " +
        std::to_string(far_ns) +
        "}}}\nedges:\n- {ep1: {instance: p, component: sw}, ep2: {instance: c, component: asic}, scheme: many2many, "
        "link: trunk}\n";
}

}  // namespace weft::testing
