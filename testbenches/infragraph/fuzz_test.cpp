// Mutated documents end in a graph or in InputError, whatever they say.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "infragraph/graph_response.h"
#include "infragraph/graph_text.h"
#include "infragraph/summary.h"
#include "testbenches/infragraph/fixtures.h"

namespace weft::fuzz_test {
namespace {

const char* const seed_document = R"(name: seed
description: &text everything once
devices:
- name: box
  components:
  - {name: xpu, count: 4, choice: xpu, description: *text}
  - {name: slot, count: 3, choice: custom, custom: {type: pcie_slot}}
  - {name: card, count: 3, choice: device}
  links:
  - {name: pcie, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}, latency: {ns: 2.5}}}
  edges:
  - {ep1: {device: "card[0:3]", component: "bus[0]"}, ep2: {component: "slot[0:3]"}, scheme: one2one, link: pcie}
  - {ep1: {component: "xpu[::2]"}, ep2: {component: "xpu[1::2]"}, scheme: many2many, link: pcie}
  - {ep1: {component: xpu}, ep2: {component: xpu}, scheme: ring, link: pcie}
- name: card
  components:
  - {name: bus, count: 1, choice: npu}
  - {name: port, count: 2, choice: port}
  links: [{name: wire}]
  edges: [{ep1: {component: bus}, ep2: {component: port}, scheme: many2many, link: wire}]
instances:
- {name: b, device: box, count: 2}
links: [{name: fibre, physical: {bandwidth: {gigabytes_per_second: 12.5}}}]
edges:
- {ep1: {instance: "b[0]", component: "card.port[1]"}, ep2: {instance: "b[1]", component: "card.port[0]"}, scheme: one2one, link: fibre}
)";

const char* const seed_request = R"(nodes:
- {name: "b[0:2]xpu[0:2]", attributes: [{attribute: rank, value: "0"}]}
- {name: b.0.card, attributes: [{attribute: pod, value: a}]}
edges:
- {ep1: b.0.xpu.0, ep2: b.0.xpu.1, attributes: [{attribute: bandwidth, value: 100 Gbps}]}
links: [{name: wire, attributes: [{attribute: medium, value: optical}]}]
graph: [{attribute: cluster, value: a}]
)";

const std::vector<std::string> pieces{"0", "-1", "2147483647", "99999999999999999999", "1e308", "'", "\"", "[", "]",
    "{", "}", ": ", ",", "\n", "- ", "&a ", "*a", "<<: *text", "[0:99999999]", "[::-1]", "[:]", "[-1]", ".", "..",
    "card", "box", "xpu", "ring", "many2many", "device", "choice: device", "name: box", "count: 1000000", "\t", "#",
    "|", "!!int", "~", "true", "\x80", std::string(1, '\0'), "annotations:", "infrastructure:", "---\n", "? "};

std::string mutated(std::string text, std::mt19937& random)
{
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (std::size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes) {
        const std::size_t at = below(text.size());
        const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
        const std::size_t digit = text.find_first_of("0123456789", at);
        switch (below(8)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, pieces[below(pieces.size())]); break;
        case 2: text.replace(at, std::min<std::size_t>(length, 8), pieces[below(pieces.size())]); break;
        case 3: text.insert(below(text.size()), text.substr(at, length)); break;
        case 4:
        case 5:
        case 6:
            if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
            break;
        default: text[at] = static_cast<char>(below(256)); break;
        }
    }
    return text;
}

// True when the text was accepted.
bool survives(const std::string& text, const std::string& request, bool lenient)
{
    LoadOptions options;
    options.lenient = lenient;
    options.limits = {20000, 200000};
    try {
        LoadedGraph loaded = load_infrastructure_text("fuzz", text, options);
        apply_annotation_text(loaded, "request", request, lenient);
        check_text(loaded);
        check_json(loaded);
        graph_json(loaded.graph);
        graph_dot(loaded.graph);
        graph_response(loaded.graph, ResponseScope::full);
        return true;
    } catch (const InputError& error) {
        EXPECT_FALSE(error.diagnostics().empty());
        return false;
    }
}

TEST(InfraGraphFuzz, MutationsEndInAGraphOrAnInputError)
{
    ASSERT_TRUE(survives(seed_document, seed_request, false));
    std::mt19937 random(20240607);
    int accepted = 0;
    const char* asked = std::getenv("WEFT_FUZZ_ROUNDS");  // for longer runs by hand
    const int rounds = asked != nullptr ? std::max(std::atoi(asked), 1) : 1000;
    for (int i = 0; i < rounds; ++i) {
        const bool in_request = i % 4 == 3;
        const std::string text = in_request ? seed_document : mutated(seed_document, random);
        const std::string request = in_request ? mutated(seed_request, random) : seed_request;
        accepted += survives(text, request, i % 2 == 0) ? 1 : 0;
    }
    // The mutations are neither all harmless nor all fatal.
    EXPECT_GT(accepted, rounds / 10);
    EXPECT_LT(accepted, rounds * 9 / 10);
}

}  // namespace
}  // namespace weft::fuzz_test
