#include "tlm_interconnect/card/message_stage.h"

#include <algorithm>

#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

MessageStage::MessageStage(StageHost& host, const SwitchSpec& spec, unsigned ports)
    : host_(host), spec_(spec), network_(ports), keys_(static_cast<std::uint32_t>(spec.message_streams)),
      streams_(spec.message_streams)
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

// Ports whose links make packets are the network's side; the smallest packet of all counts.
void MessageStage::set_space(unsigned port, const BufferSpace& space)
{
    network_[port] = space.packet_lines > 0;
    if (!network_[port]) return;
    packet_bytes_ = std::min(packet_bytes_, std::uint64_t{space.path_lines} * line_bytes);
    paths_ = space.paths;
}

// From the node's side of the card to the network's.
bool MessageStage::leaves_node(const Line& line, unsigned input, const RouteTable& routes) const
{
    const RouteTable::Choice choice = routes.ports_to(line.destination);
    return !network_[input] && choice.count > 0 && network_[choice.port(0)];
}

bool MessageStage::take(Line& line, unsigned input, const RouteTable& routes, Time now)
{
    if (!leaves_node(line, input, routes)) return false;
    if (line.destination < first_group && local_of(line.address) < paths_.below) line.path_hash /= paths_.stripe;
    join_message(line, input, now);
    return true;
}

void MessageStage::pass(Line& line, unsigned input, Time leave, Time now)
{
    if (leave <= now) {
        host_.stage_forward(line, input);
    } else {
        host_.stage_later(line, leave, input);
    }
}

std::uint32_t MessageStage::next_path(std::uint16_t destination)
{
    if (destination >= first_group) return 0;
    if (destination >= turns_.size()) turns_.resize(destination + 1U, 0);
    return turns_[destination]++;
}

// Makes the line the next one of the message that is open.
void MessageStage::add(Stream& stream, Line& line)
{
    line.message_part = LineHeader::in_message;
    if (stream.bytes == 0) line.message_part |= LineHeader::begins_message;
    if (stream.bytes == 0 || stream.packet + line.size > packet_bytes_) {
        line.message_part |= LineHeader::begins_packet;
        stream.packet = 0;
        if (paths_.turns) stream.path = next_path(line.destination);
    }
    if (paths_.turns && line.destination < first_group) line.path_hash = stream.path;
    stream.packet += line.size;
    stream.bytes += line.size;
}

void MessageStage::join_message(Line& line, unsigned input, Time now)
{
    ++lines_;
    if (line.transfer == 0 || line.op == LineOp::atomic || line.op == LineOp::fetch) {
        ++singles_;
        line.message_part = LineHeader::in_message | LineHeader::begins_packet | LineHeader::begins_message;
        if (paths_.turns && line.destination < first_group) line.path_hash = next_path(line.destination);
        pass(line, input, start(now), now);
        return;
    }
    const std::uint64_t key = std::uint64_t{line.source} << 48 | std::uint64_t{line.destination} << 32 | line.transfer;
    std::uint32_t number = keys_.find(key);
    const bool known = number != RecentKeys::none;
    if (!known) number = keys_.insert(key);
    Stream& stream = streams_[number];
    if (!known) {
        if (stream.head != nullptr) close(stream, now);  // of the transfer that is forgotten
        stream.bytes = 0;
    }
    if (stream.bytes + line.size > spec_.message) {
        if (stream.head != nullptr) close(stream, now);
        stream.bytes = 0;
    }
    if (spec_.message_hold > 0) {
        hold(stream, number, line, now);
        return;
    }
    if (stream.bytes == 0) stream.leave = start(now);
    add(stream, line);
    pass(line, input, stream.leave, now);
}

void MessageStage::hold(Stream& stream, unsigned number, Line& line, Time now)
{
    line.next = nullptr;
    if (stream.head == nullptr) {
        stream.head = &line;
        stream.bytes = 0;
        stream.expires = now + spec_.message_hold;
        if (!stream.timer.scheduled) host_.stage_timer(stream.timer, stream.expires, number);
    } else {
        stream.tail->next = &line;
    }
    stream.tail = &line;
    add(stream, line);
    if (stream.bytes + line_bytes > spec_.message) close(stream, now);
}

void MessageStage::close(Stream& stream, Time now)
{
    const Time leave = start(now);
    for (ScheduledItem* item = stream.head; item != nullptr;) {
        Line& line = Line::of(*item);
        item = item->next;
        const Line::Hop hop = line.pop_hop();
        line.push_hop(hop.port, hop.vc_set);
        host_.stage_later(line, leave, hop.port);
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
        host_.stage_timer(stream.timer, stream.expires, number);
    }
}

void MessageStage::add_statistics(std::vector<Statistic>& out) const
{
    StatisticWriter write(message_stage_statistics(), out);
    write("messages", messages_);
    write("single_messages", singles_);
    write("message_lines", lines_);
    write("message_busy", messages_ * spec_.message_interval);
    write("message_wait", waited_);
}

}  // namespace weft
