// Protocols of links: their packets, and figures where an InfraGraph document gives none. A link's protocol is named by a
// system file or told by the link's description; the name of a link says nothing.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/tables/figures.h"

namespace weft {

// A lane rate with what turns it into bytes.
struct Transfer {
    std::uint64_t per_second = 0;  // transfers of one lane
    std::uint64_t lanes = 0;
    std::uint64_t payload = 1;  // encoding: payload bits of `coded` bits
    std::uint64_t coded = 1;
    std::string source;
    std::string grade;
};

struct LinkKind {
    std::string name;
    bool generic = false;    // a family of protocols rather than one
    bool in_module = false;  // joins chips of one module
    bool described_speed =
        false;  // a description may state the speed of a port ("800G"), or with lanes that of a lane ("25 GT/s")
    std::uint64_t lane_rate =
        0;  // transfers per second of a lane, where the table counts none: a description may state it
    bool described_links = false;  // a description may state how many links an edge is ("2 links", "x2")
    std::string family;
    std::vector<std::vector<std::string>> names;  // as words; the first is its own
    std::vector<std::vector<std::string>> keywords;
    Figures figures;  // of block_of<LinkSpec>()
    std::optional<Transfer> transfer;
};

class LinkTable {
public:
    static const LinkTable& built_in();

    // Throws InputError when the text is no table.
    LinkTable(const std::string& file, const YamlTree& tree);

    // The protocol that a description speaks of; nullptr: none.
    const LinkKind* described(const std::string& description) const;
    // The protocol of that name, in any of its spellings ("PCIe 5", "pcie_gen5"); nullptr: none.
    const LinkKind* named(const std::string& name) const;
    const LinkKind* by_name(const std::string& name) const;
    const LinkKind& fallback() const { return *fallback_; }
    std::vector<std::string> names() const;
    const std::deque<LinkKind>& kinds() const { return kinds_; }

private:
    void read_kind(const YamlSource& source, const YamlField& field);
    const LinkKind* find_keyword(const std::vector<std::string>& words) const;

    std::deque<LinkKind> kinds_;
    const LinkKind* fallback_ = nullptr;
};

}  // namespace weft
