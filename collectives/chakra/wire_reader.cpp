#include "collectives/chakra/wire_reader.h"

#include <algorithm>
#include <limits>

#include "base/diagnostic.h"
#include "collectives/chakra/wire_node.h"

namespace weft::chakra {

struct WireReader::Messages {
    wire::Metadata metadata;
    wire::Node node;
};

WireReader::WireReader(const std::string& path) : source_(path), messages_(std::make_unique<Messages>())
{
    read_metadata();
}

WireReader::~WireReader() = default;

void WireReader::refuse(std::uint64_t offset, const std::string& what, const std::string& expected) const
{
    throw InputError(file(), message_, "byte " + std::to_string(offset) + ": " + what, expected);
}

std::size_t WireReader::read_length(int first)
{
    const std::uint64_t start = source_.offset() - 1;
    std::uint64_t length = 0;
    int byte = first;
    for (unsigned shift = 0;; shift += 7) {
        if (byte < 0)
            refuse(start, "the file ends inside the length of message " + std::to_string(message_), "a whole message");
        if (shift == 28 && byte > 0x0f)
            refuse(start, "the length of message " + std::to_string(message_) + " takes more than 32 bits",
                "1 to 5 bytes");
        length |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) break;
        byte = source_.get();
    }
    if (length > longest_message)
        refuse(start, "message " + std::to_string(message_) + " announces " + std::to_string(length) + " bytes",
            "at most " + std::to_string(longest_message));
    return static_cast<std::size_t>(length);
}

bool WireReader::read_message()
{
    const int first = source_.get();
    if (first < 0) return false;
    if (message_ < std::numeric_limits<int>::max()) ++message_;
    const std::size_t length = read_length(first);
    start_ = source_.offset();
    // The string grows with the data that really arrives, never with the announced length alone.
    bytes_.clear();
    source_.append_to(bytes_, length);
    if (bytes_.size() < length)
        refuse(start_,
            "message " + std::to_string(message_) + " announces " + std::to_string(length) + " bytes, but only " +
                std::to_string(bytes_.size()) + " follow",
            "a whole message");
    return true;
}

void WireReader::read_metadata()
{
    const bool json = source_.peek() == '{';
    if (!read_message()) throw InputError(file(), 0, "is empty", "a Chakra trace that starts with metadata");
    std::string problem;
    if (!messages_->metadata.ParseFromArray(bytes_.data(), static_cast<int>(bytes_.size())))
        problem = "the first message does not parse";
    else if (!is_metadata(messages_->metadata))
        problem = "the first message is not metadata";
    if (problem.empty()) {
        metadata_ = metadata_from_wire(messages_->metadata);
        return;
    }
    std::string expected = "Chakra metadata (traces of June 2023 have none and cannot be read)";
    if (json) expected = "a protobuf trace; JSON traces are recognised by a name ending in .json";
    refuse(start_, problem, expected);
}

bool WireReader::next(Node& node)
{
    if (!read_message()) return false;
    if (!messages_->node.ParseFromArray(bytes_.data(), static_cast<int>(bytes_.size())))
        refuse(start_, "message " + std::to_string(message_) + " does not parse as a node", "a Chakra node");
    node = node_from_wire(messages_->node, Origin{file(), message_, "byte " + std::to_string(start_) + ": "});
    return true;
}

}  // namespace weft::chakra
