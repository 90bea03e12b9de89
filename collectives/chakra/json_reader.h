// JSON traces as the feeder of Chakra's tools reads them: one object whose `workload_graph` is an
// array of nodes. Other JSON around Chakra (PyTorch host traces, output of the jsonizer) is recognised
// and refused with a hint.
#pragma once

#include <string>

#include "collectives/chakra/json_scanner.h"
#include "collectives/chakra/node_reader.h"

namespace weft::chakra {

class JsonReader : public NodeReader {
public:
    explicit JsonReader(const std::string& path);

    bool next(Node& node) override;
    const std::string& file() const override { return scanner_.path(); }
    const TraceMetadata& metadata() const override { return metadata_; }

private:
    std::string read_key();
    void skip_value(const std::string& key);
    void find_graph();
    void read_tail();
    [[noreturn]] void refuse_without_graph();

    JsonScanner scanner_;
    TraceMetadata metadata_;
    bool first_ = true;
    bool at_end_ = false;
};

}  // namespace weft::chakra
