// What kinds of forwarding nodes take to pass a line on, by type and description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/figures.h"

namespace weft {

struct NodeRow {
    std::string name;
    std::vector<std::string> types;                  // empty: any
    std::vector<std::vector<std::string>> keywords;  // empty: any
    bool forwards = true;
    Figures figures;  // of Block::switch_
};

class NodeTable {
public:
    static const NodeTable& built_in();

    // Throws InputError when the text is no table.
    NodeTable(const std::string& file, const std::string& text);

    // The first row that fits; nullptr when none does. `text`: description and name of the component.
    const NodeRow* find(const std::string& type, const std::string& text) const;
    const std::vector<NodeRow>& rows() const { return rows_; }

private:
    std::vector<NodeRow> rows_;
};

}  // namespace weft
