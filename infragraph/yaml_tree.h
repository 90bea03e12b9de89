// A YAML or JSON text as a compact read-only tree that knows every element's line.
//
// Built straight from yaml-cpp's events: a document of tens of thousands of edge rules costs little more
// than its scan. Safe on any input: depth, size and the blow-up of aliases are bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class YamlTree {
public:
    using Id = std::uint32_t;
    enum class Kind : std::uint8_t { null, boolean, integer, number, ambiguous, text, sequence, mapping };

    // Throws InputError naming `file` and the line when the text is no single, sane YAML document.
    YamlTree(const std::string& file, const std::string& text);

    // The tree as bytes, and the tree of such bytes: for texts that are read while a program is built. Only bytes of this
    // program's own build fit.
    std::string packed() const;
    static YamlTree unpacked(std::string_view bytes);

    Id root() const { return root_; }
    Kind kind(Id id) const { return nodes_[id].kind; }
    int line(Id id) const { return nodes_[id].line; }

    // The characters of a scalar, whatever its kind.
    std::string_view text(Id id) const { return std::string_view(arena_).substr(nodes_[id].begin, nodes_[id].count); }

    // The same, empty for everything that is no scalar.
    std::string_view text_or_empty(Id id) const
    {
        const Kind k = kind(id);
        return k == Kind::null || k == Kind::sequence || k == Kind::mapping ? std::string_view() : text(id);
    }

    // Items of a sequence, entries of a mapping (in document order, merge keys resolved).
    std::uint32_t size(Id id) const
    {
        const Node& node = nodes_[id];
        if (node.kind == Kind::sequence) return node.count;
        return node.kind == Kind::mapping ? node.count / 2 : 0;
    }
    Id item(Id sequence, std::uint32_t i) const { return children_[nodes_[sequence].begin + i]; }
    Id key(Id mapping, std::uint32_t i) const { return children_[nodes_[mapping].begin + 2 * i]; }
    Id value(Id mapping, std::uint32_t i) const { return children_[nodes_[mapping].begin + 2 * i + 1]; }

    // "a list", "the integer 4", "the text 'x'", ... for messages.
    std::string describe(Id id) const;

private:
    friend class YamlTreeBuilder;

    YamlTree() = default;

    struct Node {
        Kind kind;
        int line;
        std::uint32_t begin;  // into the arena (scalars) or the children (sequences, mappings)
        std::uint32_t count;
    };

    std::vector<Node> nodes_;
    std::vector<Id> children_;
    std::string arena_;
    Id root_ = 0;
};

}  // namespace weft
