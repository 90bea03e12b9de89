#include "tlm_interconnect/link/packetiser.h"

#include <algorithm>
#include <cmath>

#include "tlm_interconnect/link/credit_messages.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/packet_answer.h"

namespace weft {

namespace {

bool is_atomic(LineOp op)
{
    return op == LineOp::atomic || op == LineOp::fetch || op == LineOp::await || op == LineOp::monitor ||
        op == LineOp::reduce;
}
// Whether a line costs what the message of its network card says.
bool priced_by_message(const LinkSpec& spec, bool by_card) { return by_card && spec.merge == MergeKind::destination; }
std::uint32_t message_bytes(const LinkSpec& spec, LineClass cls)
{
    return static_cast<std::uint32_t>(cls == LineClass::request ? spec.message_header : spec.message_answer);
}
bool is_write(LineOp op) { return op == LineOp::write || op == LineOp::multicast; }

}  // namespace

std::uint32_t header_bytes(const LinkSpec& spec, LineClass cls)
{
    const std::uint64_t saving = cls == LineClass::response ? std::min(spec.response_saving, spec.header) : 0;
    return static_cast<std::uint32_t>(spec.header - saving);
}

std::uint32_t wire_bytes(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls)
{
    const auto flit = static_cast<std::uint32_t>(spec.flit);
    const std::uint32_t payload = payload_bytes(op, size, cls);
    std::uint32_t bytes = header_bytes(spec, cls) + (payload + flit - 1) / flit * flit;
    if (cls == LineClass::request) {
        if (is_write(op) && size < line_bytes) bytes += static_cast<std::uint32_t>(spec.byte_enable);
        if (is_atomic(op)) bytes += static_cast<std::uint32_t>(spec.atomic_extra);
    }
    return bytes;
}

std::uint32_t lone_bytes(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls, bool by_card)
{
    const std::uint64_t extension = cls == LineClass::request ? spec.address_extension : 0;
    std::uint64_t bytes = wire_bytes(spec, op, size, cls) + extension + spec.packet_overhead;
    if (priced_by_message(spec, by_card)) bytes += message_bytes(spec, cls) - header_bytes(spec, cls);
    if (spec.frame_payload == 0) return static_cast<std::uint32_t>(bytes);
    return static_cast<std::uint32_t>((bytes * spec.frame + spec.frame_payload - 1) / spec.frame_payload);
}

LoneParts lone_parts(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls, bool by_card)
{
    LoneParts out;
    const bool message = priced_by_message(spec, by_card);
    out.payload = payload_bytes(op, size, cls);
    out.header = message ? 0 : header_bytes(spec, cls);
    const auto flit = static_cast<std::uint32_t>(spec.flit);
    out.padding = (flit - out.payload % flit) % flit;
    if (cls == LineClass::request) {
        if (is_write(op) && size < line_bytes) out.byte_enables = static_cast<std::uint32_t>(spec.byte_enable);
        if (is_atomic(op)) out.atomic = static_cast<std::uint32_t>(spec.atomic_extra);
        out.extension = static_cast<std::uint32_t>(spec.address_extension);
    }
    out.packet = static_cast<std::uint32_t>(spec.packet_overhead) + (message ? message_bytes(spec, cls) : 0);
    out.frames = lone_bytes(spec, op, size, cls, by_card) - out.sum();
    return out;
}

bool extends_each_packet(const LinkSpec& spec)
{
    const std::uint64_t packet = spec.merge == MergeKind::adjacent ? adjacent_block(spec) : line_bytes;
    return spec.address_extension > 0 && spec.extension_region <= packet;
}

double stream_bytes(const LinkSpec& spec, LineOp op, LineClass cls, bool of_group, bool by_card, std::uint64_t in_a_row)
{
    double bytes = wire_bytes(spec, op, line_bytes, cls);
    const bool adjacent = spec.merge == MergeKind::adjacent;
    auto room = static_cast<double>(adjacent ? std::min(adjacent_block(spec, of_group), in_a_row) : spec.max_payload);
    if (is_atomic(op) && adjacent) room = line_bytes;  // AdjacentMerge::sent()
    if (cls == LineClass::request && extends_each_packet(spec))
        bytes += static_cast<double>(spec.address_extension) * (adjacent ? line_bytes / room : 1);
    switch (spec.merge) {
    case MergeKind::none: bytes += static_cast<double>(spec.packet_overhead); break;
    case MergeKind::adjacent: {
        const double lines = room / line_bytes;
        bytes -= header_bytes(spec, cls) * (1 - 1 / lines);
        bytes += static_cast<double>(spec.packet_overhead) / lines;
        break;
    }
    case MergeKind::destination:
        if (by_card) {
            // Headers of the message itself are nothing among many lines.
            bytes -= header_bytes(spec, cls);
            if (payload_bytes(op, line_bytes, cls) > 0)
                bytes += static_cast<double>(spec.packet_overhead) / destination_lines(spec);
            break;
        }
        bytes += static_cast<double>(spec.packet_overhead) / std::max(1.0, std::floor(room / std::max(1.0, bytes)));
        break;
    }
    bytes += static_cast<double>(spec.credit_bytes) / static_cast<double>(credits_of_message(spec));
    if (spec.frame_payload > 0) bytes *= static_cast<double>(spec.frame) / static_cast<double>(spec.frame_payload);
    return bytes;
}

Packetiser::Packetiser(const LinkSpec& spec)
    : merge_(spec), spec_(spec),
      plain_(spec.merge == MergeKind::none && spec.address_extension == 0 && spec.packet_overhead == 0),
      only_merges_(spec.merge == MergeKind::adjacent && spec.address_extension == 0)
{
    regions_.fill(~std::uint64_t{0});
    if (spec.merge != MergeKind::destination) return;
    open_.build((spec.max_payload + spec.packet_overhead) * 1'000'000'000'000 /
        std::max<std::uint64_t>(1, spec.bandwidth / spec.bundle));
}

bool Packetiser::region_missed(std::uint64_t address)
{
    const std::uint64_t region = address / spec_.extension_region;
    const auto end = regions_.begin() + static_cast<std::ptrdiff_t>(spec_.extension_ways);
    const auto found = std::find(regions_.begin(), end, region);
    const bool missed = found == end;
    std::rotate(regions_.begin(), missed ? end - 1 : found, missed ? end : found + 1);
    regions_[0] = region;
    return missed;
}

std::uint32_t Packetiser::to_destination(const LineHeader& line, LineClass cls, std::uint32_t bytes, Time now)
{
    const std::uint64_t key = std::uint64_t{line.source} << 32 | std::uint64_t{line.destination} << 16 |
        std::uint64_t{line.vc} << 8 | static_cast<std::uint64_t>(cls);
    OpenPackets::Packet& open = open_.of(key, now);
    const bool joined = !open_.over(open, now) && open.filled + bytes <= spec_.max_payload;
    open.begun = true;
    open.last = now;
    open.filled = joined ? open.filled + bytes : bytes;
    if (joined) return bytes;
    merge_.count(1);
    return bytes + static_cast<std::uint32_t>(spec_.packet_overhead);
}

// `bytes`: of the line with its header. Reads nothing but the line, so that all links agree on packets.
std::uint32_t Packetiser::of_message(const LineHeader& line, LineClass cls, std::uint32_t bytes, std::uint8_t part)
{
    bytes -= header_bytes(spec_, cls);
    const bool begins = (part & Line::begins_message) != 0;
    if (begins || ((part & Line::begins_packet) != 0 && payload_bytes(line.op, line.size, cls) > 0)) {
        merge_.count(1);
        bytes += static_cast<std::uint32_t>(spec_.packet_overhead);
    }
    return begins ? bytes + message_bytes(spec_, cls) : bytes;
}

// `bytes`: of one of its lines by itself; `joined`: the first one continues the packet that is open.
std::uint32_t Packetiser::of_wide(const LineHeader& line, LineClass cls, bool joined, std::uint32_t bytes)
{
    const std::uint32_t lines = line.lines();
    const std::uint64_t block = spec_.merge == MergeKind::adjacent ? std::uint32_t{merge_.block(line)} : line_bytes;
    const std::uint64_t end = line.address + std::uint64_t{lines} * line_bytes;
    // Where packets begin: at its first line, unless that continues one, and at each block within it.
    std::uint64_t begin = joined ? (line.address / block + 1) * block : line.address;
    const auto packets = static_cast<std::uint32_t>(begin < end ? (end - 1) / block - begin / block + 1 : 0);
    merge_.count(packets);
    std::uint32_t sum = lines * bytes - (lines - packets) * header_bytes(spec_, cls) +
        packets * static_cast<std::uint32_t>(spec_.packet_overhead);
    if (cls != LineClass::request || spec_.address_extension == 0) return sum;
    for (; begin < end; begin = (begin / block + 1) * block)
        if (region_missed(begin)) sum += static_cast<std::uint32_t>(spec_.address_extension);
    return sum;
}

std::uint32_t Packetiser::add(const LineHeader& line, LineClass cls, bool gap, Time now, std::uint8_t part)
{
    const std::uint32_t lines = line.lines();
    std::uint32_t bytes = wire_bytes(spec_, line.op, lines > 1 ? line_bytes : line.size, cls);
    if (plain_) {
        merge_.count(lines);
        return bytes * lines;
    }
    const auto merge = spec_.merge;
    const bool answers = cls == LineClass::response && answers_packet(line);
    const bool joined = merge == MergeKind::adjacent && (answers || (!gap && merge_.continues(line, cls)));
    if (lines > 1 && merge == MergeKind::destination) {
        std::uint32_t all = 0;
        for (std::uint32_t left = lines; left > 0; --left) all += to_destination(line, cls, bytes, now);
        return all;
    }
    if (lines > 1) {
        const std::uint32_t all = of_wide(line, cls, joined, bytes);
        merge_.sent(line, cls);
        return all;
    }
    if (joined)
        bytes -= header_bytes(spec_, cls);
    else if (cls == LineClass::request && spec_.address_extension > 0 && region_missed(line.address))
        bytes += static_cast<std::uint32_t>(spec_.address_extension);
    if (merge == MergeKind::destination)
        return part != 0 ? of_message(line, cls, bytes, part) : to_destination(line, cls, bytes, now);
    if (!joined) {
        merge_.count(1);
        bytes += static_cast<std::uint32_t>(spec_.packet_overhead);
    }
    merge_.sent(line, cls);
    return bytes;
}

}  // namespace weft
