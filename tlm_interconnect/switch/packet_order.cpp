#include "tlm_interconnect/switch/packet_order.h"

namespace weft {

void PacketOrder::start(const BufferSpace& space)
{
    packet_ = BlockSize(space.packet);
    group_packet_ = BlockSize(space.group_packet);
    lines_ = space.packet_lines;
    next_address_ = 0;
    in_packet_ = 0;
    waiting_ = WaitingLines();
}

ScheduledItem* PacketOrder::begun(const LineHeader& line, unsigned slot, unsigned input) const
{
    if (packet_ == 0) return nullptr;
    const BlockSize& packet = line.of_group() ? group_packet_ : packet_;
    if (packet == 0 || packet.begins(line.address) || !line.full_line()) return nullptr;
    // One to the same address may wait, and stays ahead.
    if (waiting_.find(line.address) != nullptr) return nullptr;
    const WaitingLines::Place* place = waiting_.find(line.address - line_bytes);
    Line* const before = place == nullptr ? nullptr : place->line_in(slot, input);
    if (before == nullptr) return nullptr;
    const bool continues = before->address + line_bytes == line.address && before->op == line.op &&
        before->source == line.source && before->full_line();
    return continues ? before : nullptr;
}

}  // namespace weft
