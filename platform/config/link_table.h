// What the name of a link, or its description, implies where an InfraGraph document gives no figures.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/figures.h"

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
    bool generic = false;  // the name says little: a description is asked first
    std::string family;
    std::vector<std::vector<std::string>> names;  // as words
    std::vector<std::vector<std::string>> keywords;
    Figures figures;  // of Block::link
    std::optional<Transfer> transfer;
};

struct LinkMatch {
    const LinkKind* kind = nullptr;  // nullptr: neither name nor description is known
    std::string family;              // of the name where it is a generic one, else of the kind
};

class LinkTable {
public:
    static const LinkTable& built_in();

    // Throws InputError when the text is no table.
    LinkTable(const std::string& file, const std::string& text);

    LinkMatch find(const std::string& link, const std::string& description) const;
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

// The bandwidth of a kind: its figure, or its lanes ("x8" in the description counts) at the kind's rate or
// at `per_lane` transfers per second as the document states. Nothing when there is no such knowledge.
std::optional<Figure> bandwidth_of(const LinkKind& kind, const std::string& description,
    std::optional<std::uint64_t> per_lane);

}  // namespace weft
