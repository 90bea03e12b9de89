#include "testbenches/chakra/trace_writer.h"

#include <fstream>

#include <zlib.h>

namespace weft::chakra::testing {

std::string varint(std::uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
    return out + static_cast<char>(value);
}

namespace {

std::string key(unsigned field, unsigned wire_type) { return varint(field << 3 | wire_type); }

std::string little_endian(std::uint64_t value, unsigned count)
{
    std::string out;
    for (unsigned i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
}

std::string packed(const std::vector<std::uint64_t>& values)
{
    std::string out;
    for (const std::uint64_t value : values) out += varint(value);
    return out;
}

}  // namespace

Fields& Fields::number(unsigned field, std::uint64_t value)
{
    bytes_ += key(field, 0) + varint(value);
    return *this;
}

Fields& Fields::text(unsigned field, const std::string& value)
{
    bytes_ += key(field, 2) + varint(value.size()) + value;
    return *this;
}

Fields& Fields::fixed64(unsigned field, std::uint64_t value)
{
    bytes_ += key(field, 1) + little_endian(value, 8);
    return *this;
}

Fields& Fields::fixed32(unsigned field, std::uint32_t value)
{
    bytes_ += key(field, 5) + little_endian(value, 4);
    return *this;
}

NodeText::NodeText(std::uint64_t id, unsigned type, const std::string& name)
{
    if (id != 0) fields_.number(1, id);
    if (!name.empty()) fields_.text(2, name);
    if (type != 0) fields_.number(3, type);
}

NodeText& NodeText::data(const std::vector<std::uint64_t>& ids)
{
    fields_.text(5, packed(ids));
    return *this;
}

NodeText& NodeText::control(const std::vector<std::uint64_t>& ids)
{
    fields_.text(4, packed(ids));
    return *this;
}

NodeText& NodeText::micros(std::uint64_t duration)
{
    if (duration != 0) fields_.number(7, duration);
    return *this;
}

NodeText& NodeText::inputs(const std::string& values)
{
    fields_.text(8, Fields().text(1, values).bytes());
    return *this;
}

NodeText& NodeText::attribute(const std::string& name, const Fields& value)
{
    fields_.text(10, Fields().text(1, name).bytes() + value.bytes());
    return *this;
}

NodeText& NodeText::integer(const std::string& name, std::int64_t value)
{
    return attribute(name, Fields().number(int64_val, static_cast<std::uint64_t>(value)));
}

NodeText& NodeText::text(const std::string& name, const std::string& value)
{
    return attribute(name, Fields().text(string_val, value));
}

NodeText& NodeText::involved(const std::vector<bool>& dimensions)
{
    std::string list;
    for (const bool one : dimensions) list += one ? '\1' : '\0';
    return attribute("involved_dim", Fields().text(bool_list, Fields().text(1, list).bytes()));
}

NodeText& NodeText::flag(const std::string& name, bool value)
{
    return attribute(name, Fields().number(bool_val, value ? 1 : 0));
}

NodeText comp(std::uint64_t id, std::uint64_t micros) { return NodeText(id, 4, "c").micros(micros); }

NodeText collective(std::uint64_t id, std::int64_t type, std::int64_t size, const std::string& group)
{
    NodeText node = NodeText(id, 7, "x").integer("comm_type", type).integer("comm_size", size);
    return group.empty() ? node : node.text("pg_name", group);
}

NodeText send(std::uint64_t id, int to, int tag, std::int64_t size)
{
    return NodeText(id, 5, "s").integer("comm_dst", to).integer("comm_tag", tag).integer("comm_size", size);
}

NodeText recv(std::uint64_t id, int from, int tag, std::int64_t size)
{
    return NodeText(id, 6, "r").integer("comm_src", from).integer("comm_tag", tag).integer("comm_size", size);
}

std::string framed(const std::vector<std::string>& messages)
{
    const std::string metadata = Fields().text(1, "test").bytes();
    std::string out = varint(metadata.size()) + metadata;
    for (const std::string& message : messages) out += varint(message.size()) + message;
    return out;
}

std::string Folder::write(const std::string& name, const std::string& bytes) const
{
    std::ofstream(path() + name, std::ios::binary) << bytes;
    return path() + name;
}

std::string Folder::write_gzip(const std::string& name, const std::string& bytes) const
{
    const gzFile file = ::gzopen((path() + name).c_str(), "wb");
    ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    ::gzclose(file);
    return path() + name;
}

std::string Folder::write_set(const std::vector<std::vector<std::string>>& ranks, const std::string& base) const
{
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        write(base + "." + std::to_string(rank) + ".et", framed(ranks[rank]));
    return path() + base;
}

}  // namespace weft::chakra::testing
