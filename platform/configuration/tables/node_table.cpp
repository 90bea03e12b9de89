#include "platform/configuration/tables/node_table.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "platform/configuration/parameters/phrase.h"
#include "platform/configuration/tables/embedded_files.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

const NodeTable& NodeTable::built_in()
{
    static const NodeTable table("nodes.yaml", embedded_file("nodes.yaml"));
    return table;
}

NodeTable::NodeTable(const std::string& file, const YamlTree& tree)
{
    Findings findings(file, false);
    const YamlSource source{tree, findings};
    for (const YamlField& top : yaml_fields(source, tree.root(), "the node table", {"nodes"})) {
        for (const YamlField& entry : yaml_fields(source, top.value, "'nodes'", {})) {
            NodeRow row;
            row.name = entry.key;
            static const std::vector<std::string> keys = [] {
                std::vector<std::string> all{"types", "keywords", "forwards", "switch", "assumed"};
                for (const std::string& name : info_of(block_of<SwitchSpec>()).parameter_names()) all.push_back(name);
                return all;
            }();
            for (const YamlField& part : yaml_fields(source, entry.value, "node " + in_quotes(entry.key), keys)) {
                if (part.key == "forwards") {
                    row.forwards = yaml_flag(source, part).value_or(true);
                } else if (part.key == "switch") {
                    row.is_switch = yaml_flag(source, part).value_or(false);
                } else if (part.key == "assumed") {
                    row.assumed = yaml_flag(source, part).value_or(false);
                } else if (const auto parameter = info_of(block_of<SwitchSpec>()).find(part.key)) {
                    if (const auto figure = read_figure(source, part, block_of<SwitchSpec>(), *parameter))
                        row.figures[*parameter] = *figure;
                } else {
                    for (const YamlTree::Id item : yaml_items(source, part)) {
                        const std::string value =
                            yaml_text(source, item, "an entry of '" + part.key + "'").value_or("");
                        if (part.key == "types") row.types.push_back(value);
                        if (part.key == "keywords") row.keywords.push_back(words_of(value));
                    }
                }
            }
            rows_.push_back(std::move(row));
        }
    }
    findings.throw_if_failed();
}

const NodeRow* NodeTable::find(const std::string& type, const std::string& description) const
{
    const std::vector<std::string> words = words_of(description);
    for (const NodeRow& row : rows_) {
        if (!row.types.empty() && std::find(row.types.begin(), row.types.end(), type) == row.types.end()) continue;
        bool fits = row.keywords.empty();
        for (const auto& phrase : row.keywords) fits = fits || find_phrase(words, phrase) >= 0;
        if (fits) return &row;
    }
    return nullptr;
}

const NodeRow* NodeTable::named(const std::string& name) const
{
    for (const NodeRow& row : rows_)
        if (row.name == name) return &row;
    return nullptr;
}

}  // namespace weft
