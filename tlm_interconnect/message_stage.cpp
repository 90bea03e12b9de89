#include "tlm_interconnect/message_stage.h"

#include "tlm_interconnect/protocol.h"

namespace weft {

MessageStage::MessageStage(MessageHost& host, const SwitchSpec& spec)
    : host_(host), spec_(spec), streams_(spec.message_streams)
{
}

// When the first line of a message that is complete now may leave.
Time MessageStage::start(Time now)
{
    const Time at = std::max(now, next_start_);
    waited_ += at - now;
    next_start_ = at + spec_.message_interval;
    ++messages_;
    return at + spec_.message_overhead;
}

void MessageStage::take(Line& line, unsigned input, Time now)
{
    const VcClass kind = vc_class(line.op);
    const std::uint64_t key = std::uint64_t{line.source} << 20 | std::uint64_t{line.destination} << 4 |
                              static_cast<std::uint64_t>(kind);
    const auto number = static_cast<unsigned>((key * 0x9e3779b97f4a7c15ULL >> 32) % streams_.size());
    Stream& stream = streams_[number];
    ++lines_;
    if (stream.head != nullptr && stream.key != key) close(stream, now);
    const bool atomic = kind == VcClass::atomic;
    if (spec_.message_hold > 0 && !atomic) {
        stream.key = key;
        hold(stream, number, line, now);
        return;
    }
    const bool goes_on = !atomic && stream.key == key && stream.bytes + line_bytes <= spec_.message &&
                         now - stream.last <= spec_.message_gap;
    if (!goes_on) {
        stream.key = key;
        stream.bytes = 0;
        stream.leave = start(now);
    }
    stream.bytes += line_bytes;
    stream.last = now;
    if (stream.leave <= now) {
        host_.message_forward(line, input);
    } else {
        host_.message_later(line, stream.leave, input);
    }
}

void MessageStage::hold(Stream& stream, unsigned number, Line& line, Time now)
{
    line.next = nullptr;
    if (stream.head == nullptr) {
        stream.head = &line;
        stream.bytes = 0;
        stream.expires = now + spec_.message_hold;
        if (!stream.timer.scheduled) host_.message_timer(stream.timer, stream.expires, number);
    } else {
        stream.tail->next = &line;
    }
    stream.tail = &line;
    stream.bytes += line_bytes;
    if (stream.bytes + line_bytes > spec_.message) close(stream, now);
}

void MessageStage::close(Stream& stream, Time now)
{
    const Time leave = start(now);
    for (AgendaItem* item = stream.head; item != nullptr;) {
        Line& line = Line::of(*item);
        item = item->next;
        const Line::Way way = line.pop_way();
        line.push_way(way.port, way.lane);
        host_.message_later(line, leave, way.port);
    }
    stream.head = nullptr;
}

void MessageStage::expired(unsigned number, Time now)
{
    Stream& stream = streams_[number];
    if (stream.head == nullptr) return;
    if (stream.expires <= now) {
        close(stream, now);
    } else {
        host_.message_timer(stream.timer, stream.expires, number);
    }
}

void MessageStage::add_statistics(std::vector<Statistic>& out) const
{
    out.push_back({"messages", static_cast<double>(messages_), "", "messages that left the node"});
    out.push_back({"message_lines", static_cast<double>(lines_), "lines", "lines in them"});
    out.push_back({"message_wait", static_cast<double>(waited_), "ps", "time that messages waited for their turn to start"});
}

}  // namespace weft
