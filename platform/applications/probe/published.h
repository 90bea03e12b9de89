// Published figures of real parts, row by row of a probe (platform/profiles/published.yaml), and the node that they were
// measured in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "infragraph/yaml_tree.h"

namespace weft {

// In the unit of its row. A single figure has low = high.
struct PublishedFigure {
    double low = 0;
    double high = 0;
    std::string source;
    std::string grade;  // one of figure_grades()

    double middle() const { return (low + high) / 2; }
    bool is_range() const { return high > low; }
    std::string text() const;  // "247 to 258"
};

struct PublishedPart {
    std::string profile;
    unsigned switches = 0;  // of the standard node of eight; 0: each two accelerators share a link
    std::map<std::string, PublishedFigure> figures;  // by row
};

class PublishedTable {
public:
    static const PublishedTable& built_in();
    // Throws InputError when the text is no table.
    PublishedTable(const std::string& file, const YamlTree& tree);

    // Null when nothing is published.
    const PublishedPart* find(const std::string& profile) const;
    const std::vector<PublishedPart>& parts() const { return parts_; }

private:
    std::vector<PublishedPart> parts_;
};

// The standard node of a part as an InfraGraph document: eight accelerators around its switches, or with a link between
// every two. `family`, of the profile's scale-up links, decides for a part that the table does not have.
std::string node_document(const std::string& profile, const std::string& family, const PublishedPart* part);

}  // namespace weft
