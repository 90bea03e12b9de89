// The JSON schema of what commands write with --json.
#pragma once

namespace weft {

// The text of docs/result.schema.json.
const char* result_schema();

}  // namespace weft
