// Recognises documents that are not an infrastructure of the present model, so that they are refused with
// one message that helps and not with a hundred that follow from it.
#pragma once

#include <string>

#include "infragraph/yaml_tree.h"

namespace weft {

bool has_key(const YamlTree& tree, YamlTree::Id mapping, std::string_view key);

// A bare Device object: a blueprint that nothing instantiates.
bool is_device(const YamlTree& tree);

// Throws InputError for a pre-0.4 draft, an annotation request and a text that is no mapping.
void refuse_foreign_form(const YamlTree& tree, const std::string& file);

}  // namespace weft
