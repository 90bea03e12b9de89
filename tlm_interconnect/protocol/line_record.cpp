#include "tlm_interconnect/protocol/line_record.h"

#include <algorithm>
#include <cstring>

namespace weft {

std::size_t Line::save(std::byte* at, unsigned carried)
{
    if (marked(shared_mark)) SC_REPORT_FATAL("/weft/line", "a line that is shared cannot go to another part");
    LineRecord record;
    record.address = address;
    record.issued = issued;
    record.tag = tag;
    record.path_hash = path_hash;
    record.transfer = transfer;
    record.tail = tail;
    record.source = source;
    record.destination = destination;
    record.op = static_cast<std::uint8_t>(op);
    record.function = static_cast<std::uint8_t>(function);
    record.size = static_cast<std::uint16_t>(std::uint32_t{size});
    record.flags = flags;
    record.vc = vc;
    record.depth = depth;
    record.marks = marks;
    record.message_part = message_part;
    record.status = status_;
    record.carried = static_cast<std::uint16_t>(carried);
    std::memcpy(at, &record, sizeof record);
    at += sizeof record;
    for (unsigned entry = 0; entry < depth; ++entry) {
        const std::uint16_t port = path_entry(entry);
        std::memcpy(at, &port, sizeof port);
        at += sizeof port;
    }
    if (const std::uint8_t* const held = data_if_any()) {
        std::memcpy(at, held, carried);
    } else {
        std::memset(at, 0, carried);
        std::memcpy(at, &word_, std::min<std::size_t>(carried, sizeof word_));
    }
    return record.bytes();
}

std::size_t Line::restore(const std::byte* at)
{
    LineRecord record;
    std::memcpy(&record, at, sizeof record);
    at += sizeof record;
    begin(static_cast<LineOp>(record.op), record.address, record.size)
        .function(static_cast<AtomicOp>(record.function))
        .source(record.source)
        .tag(record.tag)
        .transfer(record.transfer)
        .flag(record.flags);
    destination.value_ = record.destination;
    issued = record.issued;
    tail = record.tail;
    path_hash = record.path_hash;
    vc = record.vc;
    depth = record.depth;
    marks = record.marks;
    message_part = record.message_part;
    status_ = record.status;
    for (unsigned entry = 0; entry < depth; ++entry) {
        std::uint16_t port = 0;
        std::memcpy(&port, at, sizeof port);
        at += sizeof port;
        path_entry(entry) = port;
    }
    // Zeros behind a word need no room.
    const std::byte* const end = at + record.carried;
    const std::byte* const behind = at + std::min<std::size_t>(record.carried, sizeof word_);
    if (data_if_any() == nullptr && std::all_of(behind, end, [](std::byte value) { return value == std::byte{0}; })) {
        word_ = 0;
        std::memcpy(&word_, at, static_cast<std::size_t>(behind - at));
    } else {
        std::memcpy(data(), at, record.carried);
    }
    return record.bytes();
}

}  // namespace weft
