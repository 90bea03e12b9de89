// The nodes of one trace file, one at a time, whatever form the file has. Nothing but the node at
// hand is in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

struct TraceMetadata {
    std::string version;                  // "" where the file does not say
    std::vector<std::string> attributes;  // their names, in file order
};

class NodeReader {
public:
    virtual ~NodeReader() = default;

    // Reads the next node into `node`; false at the end of the trace. Throws InputError.
    virtual bool next(Node& node) = 0;

    virtual const std::string& file() const = 0;
    virtual const TraceMetadata& metadata() const = 0;
};

// A file named *.json or *.json.gz is read as a JSON trace, any other as protobuf messages. Throws
// InputError when the file cannot be read or does not begin as a trace.
std::unique_ptr<NodeReader> open_trace_file(const std::string& path);

}  // namespace weft::chakra
