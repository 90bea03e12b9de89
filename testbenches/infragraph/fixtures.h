// Small documents and shorthands of the InfraGraph suites.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "infragraph/load.h"

namespace weft::test {

inline LoadedGraph load(const std::string& text, bool lenient = false)
{
    LoadOptions options;
    options.lenient = lenient;
    return load_infrastructure_text("doc.yaml", text, options);
}

// The messages with which a document is refused; empty when it is accepted.
inline std::vector<std::string> problems(const std::string& text, bool lenient = false)
{
    std::vector<std::string> out;
    try {
        load(text, lenient);
    } catch (const InputError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) out.push_back(diagnostic.text());
    }
    return out;
}

// The document is refused with exactly one problem, at `line`, whose text contains `words`.
inline void expect_refused(const std::string& text, int line, const std::string& words, bool lenient = false)
{
    const std::vector<std::string> found = problems(text, lenient);
    ASSERT_EQ(found.size(), 1U) << (found.empty() ? text : found[0] + "\n" + found.back());
    const std::string where = line == 0 ? "doc.yaml: " : "doc.yaml:" + std::to_string(line) + ": ";
    EXPECT_EQ(found[0].rfind(where, 0), 0U) << found[0];
    EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
}

// Refused by default; accepted when lenient, with a notice at the line that contains `words`.
inline void expect_doubted(const std::string& text, int line, const std::string& words)
{
    expect_refused(text, line, words);
    const LoadedGraph loaded = load(text, true);
    const bool noticed = std::any_of(loaded.notices.begin(), loaded.notices.end(),
        [&](const Notice& notice) { return notice.line == line && notice.text.find(words) != std::string::npos; });
    EXPECT_TRUE(noticed) << text;
}

inline std::vector<std::string> node_names(const Graph& graph)
{
    std::vector<std::string> names;
    for (NodeId id = 0; id < graph.node_count(); ++id) names.push_back(graph.node(id).name);
    return names;
}

// "a b link" for each edge in the graph's order.
inline std::vector<std::string> edge_texts(const Graph& graph)
{
    std::vector<std::string> out;
    for (EdgeId id = 0; id < graph.edge_count(); ++id)
        out.push_back(
            graph.node(graph.edge(id).a).name + " " + graph.node(graph.edge(id).b).name + " " + graph.kind(id).link);
    return out;
}

inline std::vector<std::string> sorted(std::vector<std::string> texts)
{
    std::sort(texts.begin(), texts.end());
    return texts;
}

// One device `d` with four xpu and two sw, two instances `h` and one edge rule each inside and between.
// Line 9 is the rule inside, line 13 the rule between.
inline std::string small(const std::string& inner_rule = "{ep1: {component: xpu}, ep2: {component: sw}, "
                                                         "scheme: many2many, link: l}",
    const std::string& outer_rule = "{ep1: {instance: 'h[0]', component: 'sw[0]'}, ep2: {instance: 'h[1]', "
                                    "component: 'sw[0]'}, scheme: one2one, link: e}",
    const std::string& xpu = "{name: xpu, count: 4, choice: xpu}")
{
    return "name: small\n"
           "devices:\n"
           "- name: d\n"
           "  components:\n"
           "  - " +
        xpu +
        "\n"
        "  - {name: sw, count: 2, choice: switch}\n"
        "  links: [{name: l}]\n"
        "  edges:\n"
        "  - " +
        inner_rule +
        "\n"
        "instances: [{name: h, device: d, count: 2}]\n"
        "links: [{name: e}]\n"
        "edges:\n"
        "- " +
        outer_rule + "\n";
}

// One device of eight `x` (and a `y` of two) in one instance `i`, wired by one rule.
inline std::string row(const std::string& ep1, const std::string& ep2, const std::string& scheme)
{
    return "devices:\n"
           "- name: d\n"
           "  components:\n"
           "  - {name: x, count: 8, choice: xpu}\n"
           "  - {name: y, count: 2, choice: xpu}\n"
           "  links: [{name: l}]\n"
           "  edges:\n"
           "  - {ep1: {component: '" +
        ep1 + "'}, ep2: {component: '" + ep2 + "'}, scheme: " + scheme +
        ", link: l}\n"
        "instances: [{name: i, device: d, count: 1}]\n";
}

}  // namespace weft::test
