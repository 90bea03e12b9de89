#include "collectives/chakra/node_reader.h"

#include "collectives/chakra/json_reader.h"
#include "collectives/chakra/wire_reader.h"

namespace weft::chakra {

namespace {

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::unique_ptr<NodeReader> open_trace_file(const std::string& path)
{
    if (ends_with(path, ".json") || ends_with(path, ".json.gz")) return std::make_unique<JsonReader>(path);
    return std::make_unique<WireReader>(path);
}

}  // namespace weft::chakra
