// One figure of a profile or table: its value, where it was published and how good it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/parameters/blocks.h"
#include "platform/configuration/parameters/yaml_fields.h"

namespace weft {

struct Figure {
    std::uint64_t value = 0;
    std::string source;               // "NVIDIA H100 whitepaper", or file:line where a user's file gives none
    std::string grade;                // one of figure_grades(); may be empty in a user's file
    std::string inherited_from = {};  // the profile that states it, where that is the base of this one
    int line = 0;                     // where its file states it; 0: in the file of a base

    // An inherited figure is that of another part: its source speaks of that part.
    std::string source_text() const
    {
        return inherited_from.empty() ? source : "inherited from " + inherited_from + ": " + source;
    }
    std::string provenance() const { return grade.empty() ? source_text() : source_text() + " (" + grade + ")"; }
};

// Parameters of one block that a profile or table states, by their index in the block.
using Figures = std::map<std::size_t, Figure>;

const std::vector<std::string>& figure_grades();

// {value, source, grade} or a plain value. The text of the value is left to the caller.
struct FigureText {
    std::string value;
    std::string source;
    std::string grade;
    int line = 0;
};
std::optional<FigureText> read_figure_text(const YamlSource& source, const YamlField& field);

// A figure for a parameter of `block`, in range; whatever is wrong is reported.
std::optional<Figure> read_figure(const YamlSource& source, const YamlField& field, Block block, std::size_t parameter);

// A mapping from parameter names of `block` to figures.
Figures read_figures(const YamlSource& source, const YamlField& field, Block block);

}  // namespace weft
