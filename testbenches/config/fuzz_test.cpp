// Damaged system files and options end in a system or in InputError, never otherwise.
#include <random>

#include <gtest/gtest.h>

#include "platform/configuration/explain.h"
#include "testbenches/config/support.h"

namespace weft::fuzz_test {
namespace {

const std::string seed_text = R"(system: demo
infrastructure: box.yaml
profile: h100
bind:
- {nodes: "*.nvsw.*", model: switch}
- {nodes: {component: xpu, type: xpu}, profile: a100}
links:
  xpu_fabric: {bandwidth: 100 GB/s, latency: 50 ns, request_credits: 64}
parameters:
  l2.size: 40 MiB
  "box.*.xpu.?.gpu.clock": 1755 MHz
  box.0.xpu.0~box.0.nvsw.1.link.header: 32
  "*.latency": 90 ns
routing: {path_selection: none, cycles: allow}
engine: {channels: 4}
seed: 7
lenient: false
workload: {collective: reduce, bytes: 2 MiB, algorithm: direct, type: bf16, reduction: max, ranks: 2, root: 1}
)";

const std::vector<std::string> pieces{"*", "?", ".", "~", ":", "{", "}", "[", "]", "'", "\"", "\n", "  ", "- ", "&a ",
    "*a", "18446744073709551616", "-1", "0", "1e99", "l2.size", "links.", "link.latency: 0 ns\n", "null", "true",
    "<<: ", "!!int ", "profile: generic\n", "parameters:\n  l2.ways: 3\n", "\xff", "\xe2\x82", "#", "box.0.xpu.0",
    std::string(300, 'x'), "999 TB/s", "1 ps"};

std::string mutated(std::mt19937& random)
{
    std::string text = seed_text;
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    // Half of the texts stay well-formed: other digits only.
    if (below(2) == 0) {
        for (int i = 0; i < 3; ++i) {
            const std::size_t digit = text.find_first_of("0123456789", below(text.size()));
            if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        }
        return text;
    }
    for (std::size_t i = 0, count = 1 + below(4); i < count && !text.empty(); ++i) {
        const std::size_t at = below(text.size());
        switch (below(5)) {
        case 0: text.insert(at, pieces[below(pieces.size())]); break;
        case 1: text.erase(at, 1 + below(12)); break;
        case 2: text[at] = static_cast<char>(below(256)); break;
        case 3: {
            const std::size_t from = below(text.size());
            text.insert(at, text.substr(from, below(40)));
            break;
        }
        default: text.replace(at, std::min<std::size_t>(1 + below(6), text.size() - at), pieces[below(pieces.size())]);
        }
    }
    return text;
}

TEST(Fuzz, DamagedSystemFiles)
{
    std::mt19937 random(20240611);
    const std::shared_ptr<const Graph> graph = graph_of(small_box);
    ASSERT_EQ(error_of([&] { resolve(read_system_text("s.yaml", seed_text), graph); }), "");
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::string text = mutated(random);
        try {
            SystemDescription description = read_system_text("s.yaml", text);
            if (random() % 8 == 0)
                description.sets.push_back(
                    parse_set(pieces[random() % pieces.size()] + "=" + pieces[random() % pieces.size()]));
            const ResolvedSystem system = resolve(description, graph);
            system.require_links(std::vector<bool>(graph->edge_count(), true));
            ++accepted;
            EXPECT_FALSE(explain(system).empty());
        } catch (const InputError& error) {
            ++refused;
            for (const Diagnostic& diagnostic : error.diagnostics()) EXPECT_FALSE(diagnostic.what.empty()) << text;
        }
    }
    EXPECT_GT(accepted, 50);
    EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace weft::fuzz_test
