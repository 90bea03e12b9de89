// Holds a JSON value against a JSON schema: the part of the 2020-12 draft that docs/result.schema.json uses.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/plans/json_tree.h"

namespace weft {

struct SchemaFindings {
    std::vector<Diagnostic> problems;     // where the value is not what the schema says; the first 50
    std::vector<Diagnostic> undescribed;  // members that `properties` does not name; each place once
};

// `file` names the value in diagnostics. A branch of oneOf is chosen by the member `schema`. Throws InputError for a schema with a
// word that is not known here.
SchemaFindings check_against(const JsonValue& schema, const JsonValue& value, const std::string& file);

}  // namespace weft
