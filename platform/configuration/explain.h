// A ResolvedSystem for people and for reports: every parameter with its unit and where it comes from.
// Modules that are alike are listed once, under names such as "dgx.0.xpu.[0-7]".
#pragma once

#include <string>
#include <vector>

#include "platform/configuration/parameters/blocks.h"
#include "platform/configuration/resolved_system.h"
#include "platform/configuration/used_parts.h"

namespace weft {

struct ExplainedParameter {
    std::string path;  // "dgx.0.xpu.[0-7].l2.size"
    const ParameterInfo* info = nullptr;
    std::uint64_t value = 0;  // base units; index for a choice
    bool known = true;        // false: a bandwidth that nothing states
    std::string source;
    std::string name = {};  // of a model that is none of the choices

    std::string text() const { return !known ? "unknown" : name.empty() ? value_text(*info, value) : name; }
    std::string unit() const { return name_of(info->unit); }
};

// In the order: engine, routing, nodes, links.
std::vector<ExplainedParameter> explained_parameters(const ResolvedSystem& system, const UsedParts& used = {});

// The same as a text of one block per kind of module.
std::string explain(const ResolvedSystem& system, const UsedParts& used = {});

}  // namespace weft
