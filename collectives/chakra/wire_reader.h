// Protobuf traces: messages behind their lengths, the first one metadata, every other one a node.
// Message numbers in diagnostics count from 1, which is the metadata.
#pragma once

#include <memory>
#include <string>

#include "collectives/chakra/byte_source.h"
#include "collectives/chakra/node_reader.h"

namespace weft::chakra {

// The longest message that is read. Real nodes stay below 1 MB.
constexpr std::size_t longest_message = std::size_t{64} << 20;

class WireReader : public NodeReader {
public:
    explicit WireReader(const std::string& path);
    ~WireReader() override;

    bool next(Node& node) override;
    const std::string& file() const override { return source_.path(); }
    const TraceMetadata& metadata() const override { return metadata_; }

private:
    struct Messages;  // reused from node to node

    bool read_message();  // into bytes_; false at the end
    std::size_t read_length(int first);
    void read_metadata();
    [[noreturn]] void refuse(std::uint64_t offset, const std::string& what, const std::string& expected) const;

    ByteSource source_;
    TraceMetadata metadata_;
    std::unique_ptr<Messages> messages_;
    std::string bytes_;
    std::uint64_t start_ = 0;  // offset of the message's first byte, length apart
    int message_ = 0;          // its number
};

}  // namespace weft::chakra
