#include "tlm_interconnect/protocol/line_record.h"

#include <algorithm>
#include <cstring>

namespace weft {

void Line::save(LineRecord& record)
{
    if (marked(shared_mark)) SC_REPORT_FATAL("/weft/line", "a line that is shared cannot go to another part");
    record.address = address;
    record.issued = issued;
    record.tag = tag;
    record.path_hash = path_hash;
    record.transfer = transfer;
    record.source = source;
    record.destination = destination;
    record.op = static_cast<std::uint8_t>(op);
    record.function = static_cast<std::uint8_t>(function);
    record.size = static_cast<std::uint8_t>(size);
    record.flags = flags;
    record.vc = vc;
    record.depth = depth;
    record.marks = marks;
    record.message_part = message_part;
    record.status = status_;
    for (unsigned entry = 0; entry < depth; ++entry) record.path[entry] = path_entry(entry);
    std::copy(data_, data_ + line_bytes, record.data.begin());
}

void Line::restore(const LineRecord& record)
{
    begin(static_cast<LineOp>(record.op), record.address, record.size)
        .function(static_cast<AtomicOp>(record.function))
        .source(record.source)
        .tag(record.tag)
        .transfer(record.transfer)
        .flag(record.flags);
    destination.value_ = record.destination;
    issued = record.issued;
    path_hash = record.path_hash;
    vc = record.vc;
    depth = record.depth;
    marks = record.marks;
    message_part = record.message_part;
    status_ = record.status;
    for (unsigned entry = 0; entry < depth; ++entry) path_entry(entry) = record.path[entry];
    std::copy(record.data.begin(), record.data.end(), data_);
}

}  // namespace weft
