// Reads a result of `weft` as facts.
#pragma once

#include <cstddef>
#include <string>

#include "collectives/plans/json_tree.h"
#include "platform/applications/compare/facts.h"

namespace weft {

constexpr std::size_t longest_result = std::size_t{1} << 29;  // bytes of a file with a result

// `text`: the JSON of `weft run`, `sweep`, `fabric`, `probe` or `validate`. Throws InputError that names `file` and the line.
Facts read_facts(const std::string& file, const std::string& text);

// Facts of the results that are tables (read_tables.cpp).
void read_sweep(Facts& out, const JsonValue& root);
void read_fabric(Facts& out, const JsonValue& root);
void read_fabric_sweep(Facts& out, const JsonValue& root);
void read_probe(Facts& out, const JsonValue& root);
void read_validation(Facts& out, const JsonValue& root);

// "a.[0-2,5].b" as its four names; `name` itself where it has no brackets or they hold no numbers.
std::vector<std::string> ungrouped(const std::string& name);

}  // namespace weft
