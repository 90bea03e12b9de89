// What the mutations start from: a small document, a system file on it and traces that run there.
#pragma once

#include <string>
#include <vector>

namespace weft::fuzz {

extern const char* const infrastructure;       // YAML; nested devices, slices, schemes, units
extern const char* const infrastructure_json;  // the same kind of document as JSON
extern const char* const system_file;          // of `infrastructure`, which it calls "doc.yaml"
extern const char* const trace_json;           // one rank in the JSON form

// The messages of one rank of a two-rank protobuf trace.
std::vector<std::string> trace_messages(int rank);

}  // namespace weft::fuzz
