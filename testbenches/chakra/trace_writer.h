// Writes Chakra traces for tests, byte by byte and without the protobuf library, so that the reader is
// checked against the wire format and not against itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/support/scratch_folder.h"

namespace weft::chakra::testing {

std::string varint(std::uint64_t value);

// Fields of one message, in the order of the calls.
class Fields {
public:
    Fields& number(unsigned field, std::uint64_t value);
    Fields& text(unsigned field, const std::string& value);
    Fields& fixed64(unsigned field, std::uint64_t value);
    Fields& fixed32(unsigned field, std::uint32_t value);
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

// Value field numbers of an attribute.
enum ValueField : unsigned {
    double_val = 3,
    float_val = 5,
    int32_val = 7,
    int64_val = 9,
    uint32_val = 11,
    uint64_val = 13,
    sint32_val = 15,
    sint64_val = 17,
    fixed32_val = 19,
    fixed64_val = 21,
    sfixed32_val = 23,
    sfixed64_val = 25,
    bool_val = 27,
    bool_list = 28,
    string_val = 29,
    bytes_val = 31
};

// One node. Like real writers it leaves out what is 0.
class NodeText {
public:
    NodeText(std::uint64_t id, unsigned type, const std::string& name = "");

    NodeText& data(const std::vector<std::uint64_t>& ids);  // packed
    NodeText& control(const std::vector<std::uint64_t>& ids);
    NodeText& micros(std::uint64_t duration);
    NodeText& inputs(const std::string& values);
    NodeText& integer(const std::string& name, std::int64_t value);  // int64_val
    NodeText& text(const std::string& name, const std::string& value);
    NodeText& flag(const std::string& name, bool value);
    NodeText& involved(const std::vector<bool>& dimensions);  // involved_dim, packed
    NodeText& attribute(const std::string& name, const Fields& value);
    Fields& fields() { return fields_; }

    operator std::string() const { return fields_.bytes(); }  // NOLINT: reads well in lists of nodes

private:
    Fields fields_;
};

NodeText comp(std::uint64_t id, std::uint64_t micros = 1);
NodeText collective(std::uint64_t id, std::int64_t type, std::int64_t size, const std::string& group = "");
NodeText send(std::uint64_t id, int to, int tag, std::int64_t size);
NodeText recv(std::uint64_t id, int from, int tag, std::int64_t size);

// Metadata of version "test" and the messages, each behind its length.
std::string framed(const std::vector<std::string>& messages);

// Traces in a folder of their own, removed with all it holds.
class Folder {
public:
    std::string write(const std::string& name, const std::string& bytes) const;  // returns the path
    std::string write_gzip(const std::string& name, const std::string& bytes) const;
    // PREFIX.<rank>.et for each element; returns the prefix.
    std::string write_set(const std::vector<std::vector<std::string>>& ranks, const std::string& base = "t") const;
    std::string path() const { return folder_.file(""); }

private:
    test::ScratchFolder folder_;
};

// The text of the InputError that `action` throws; "" when it throws none.
template <typename Action>
std::string refusal(Action action);

}  // namespace weft::chakra::testing

#include "base/diagnostic.h"
#include "testbenches/support/scratch_folder.h"

template <typename Action>
std::string weft::chakra::testing::refusal(Action action)
{
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}
