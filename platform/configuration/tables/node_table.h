// Kinds of forwarding nodes, by type and description, and what each takes to pass a line on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/tables/figures.h"

namespace weft {

struct NodeRow {
    std::string name;
    std::vector<std::string> types;                  // empty: any
    std::vector<std::vector<std::string>> keywords;  // empty: any
    bool forwards = true;
    bool is_switch = false;  // joins links of its like: no card, processor, port or accelerator
    bool assumed = false;    // type and description leave the figures open: a choice of ours
    Figures figures;         // of block_of<SwitchSpec>()
};

class NodeTable {
public:
    static const NodeTable& built_in();

    // Throws InputError when the text is no table.
    NodeTable(const std::string& file, const YamlTree& tree);

    // The first row that fits; nullptr when none does. `description`: of the component.
    const NodeRow* find(const std::string& type, const std::string& description) const;
    const NodeRow* named(const std::string& name) const;
    const std::vector<NodeRow>& rows() const { return rows_; }

private:
    std::vector<NodeRow> rows_;
};

}  // namespace weft
