// The transaction: one 64-byte-aligned line, or part of one (a flag, an atomic operand). Where a run asks for it (engine.grain),
// reads and writes of several whole lines in a row, too: wide transactions. Such a one holds a credit for each line. A module
// hands it on when its first line is there (`tail`: how much later the last one is), and is busy for all of them.
//
// Line is the payload of our protocol types (line_protocol in protocol.h). What a hop touches is its header, one host cache
// line; requester and home touch a second one, and data a third. A model of another protocol gets a tlm_generic_payload, which
// make_payload() fills from the line and which leads back to it by its LineExtension.
//
// Lines come from a LinePool together with room for data behind them: 64 bytes, or as many as the widest transaction of the run. In a
// run without data they have none: a word of a flag is in the line itself, and who asks for data() nevertheless, as a foreign
// module may, gets room that is allocated then. The generic payload and the LatencyBreakdown of a line are allocated when it first
// needs them, too. All of it stays with the line; nothing is allocated in steady state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tlm>

#include "base/line_size.h"
#include "tlm_interconnect/kernel/event_queue.h"
#include "tlm_interconnect/protocol/latency_breakdown.h"
#include "tlm_interconnect/protocol/line_fields.h"
#include "tlm_interconnect/protocol/path_selection.h"
#include "tlm_interconnect/protocol/switch_group.h"
#include "tlm_interconnect/protocol/virtual_channel.h"

namespace weft {

// Bits 63..48 of an address are the index of the endpoint (GPU) that owns it, bits 47..0 are local.
constexpr unsigned endpoint_shift = 48;
inline std::uint64_t global_address(std::uint32_t endpoint, std::uint64_t local)
{
    return (std::uint64_t{endpoint} << endpoint_shift) | local;
}
inline std::uint16_t endpoint_of(std::uint64_t address)
{
    return static_cast<std::uint16_t>(address >> endpoint_shift);
}
// Whether it is the same local address at every member of a group.
inline bool is_group(std::uint64_t address) { return endpoint_of(address) >= first_group; }
inline std::uint64_t local_of(std::uint64_t address) { return address & ((std::uint64_t{1} << endpoint_shift) - 1); }

enum class LineOp : std::uint8_t {
    read,
    write,
    atomic,   // read-modify-write of a word at its home slice, nothing returned but the acknowledge
    fetch,    // the same, answered with the word as it was
    await,    // 8-byte load that is answered once the word is at least the operand (waiting atomic)
    monitor,  // 8-byte load that is answered once the word changes after it came
    // At the address of a group, carried out by switches:
    multicast,    // write at every member
    load_reduce,  // read of every member, answered with the combination
    reduce        // one member's contribution; the combination of all is written at every member
};
constexpr unsigned line_ops = 9;

const char* name_of(LineOp op);
std::string name_of(tlm::tlm_response_status status);

// What an atomic does with the word: adds the operand, replaces it, replaces it if it equals the comparand, takes
// the smaller or the larger of the two (unsigned).
enum class AtomicOp : std::uint8_t { add, exchange, compare_swap, min, max };
constexpr unsigned atomic_ops = 5;
const char* name_of(AtomicOp op);
std::uint64_t result_of(AtomicOp op, std::uint64_t word, std::uint64_t operand, std::uint64_t comparand);

// The path hash, which decides among equal paths, that all lines of a pair of endpoints share.
constexpr std::uint32_t pair_hash(std::uint32_t source, std::uint32_t destination)
{
    const std::uint32_t mixed = (source * 0x9e3779b1U) ^ (destination * 0x85ebca6bU);
    return mixed ^ mixed >> 15;
}
// A path hash as if drawn at random, always the same for the same line, pair and seed.
constexpr std::uint32_t scattered_hash(std::uint32_t path_hash, std::uint32_t source, std::uint32_t destination,
    std::uint64_t seed)
{
    std::uint64_t x =
        seed * 0x9e3779b97f4a7c15U + (std::uint64_t{source} << 48 | std::uint64_t{destination} << 32 | path_hash);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>((x ^ x >> 31) >> 32);
}

// Traffic classes: requests and responses are separate virtual networks.
enum class LineClass : std::uint8_t { request, response };
constexpr unsigned line_classes = 2;

// The channel class of a request, where classes are apart.
constexpr VcClass vc_class(LineOp op)
{
    return op == LineOp::read ? VcClass::request : op == LineOp::write ? VcClass::write : VcClass::atomic;
}

// The hot part of a line: what is asked for, set when the requester issues it and the same from then on; how it travels, set
// by the modules on its way; and a note of the module that has it in its care.
struct alignas(64) LineHeader : ScheduledItem {
    std::uint8_t vc = 0;     // channel of the buffer it is in or on its way to; by whoever sends it
    std::uint8_t depth = 0;  // entries on the return path
    std::uint8_t marks = 0;  // of its way
    std::uint8_t message_part =
        0;  // place of the line in a message; by the network card that sends it, 0 where none has
    RequestField<std::uint64_t> address;
    RequestField<std::uint32_t> tag;          // requester's own
    std::uint32_t path_hash = 0;              // decides among equal paths; consumed on the way
    RequestField<std::uint16_t> source;       // endpoint that issued it
    RequestField<std::uint16_t> destination;  // endpoint that owns the address
    RequestField<LineOp> op;
    RequestField<AtomicOp> function;  // of an atomic
    SizeField size;                   // bytes: 1..64, or whole lines up to engine.grain
    RequestField<std::uint8_t> flags;
    std::uint16_t near_path[4] = {};  // return path: input port and VC set at each routing module, innermost first
    LineScratch scratch;

    static constexpr std::uint8_t poll_flag = 2;     // looks at a flag: one try of a wait
    static constexpr std::uint8_t control_flag = 4;  // synchronisation traffic
    static constexpr std::uint8_t posted_flag = 8;   // a write that nobody answers: its target consumes it
    static constexpr std::uint8_t refill_flag = 32;  // between caches: contents are in the memory image, not in it
    static constexpr std::uint8_t traced_flag = 64;  // its LatencyBreakdown is kept up
    static constexpr std::uint8_t packet_flag =
        128;  // of packets: a load is answered whether all of them are there or not

    static constexpr std::uint8_t shared_mark = 1;   // somebody outside may hold a TLM reference
    static constexpr std::uint8_t made_mark = 2;     // made by the switch it is in: holds no slot of an input buffer
    static constexpr std::uint8_t packed_mark = 4;   // shares the packet of the line before it (packet_answer.h)
    static constexpr std::uint8_t missing_mark = 8;  // the answer to a load of packets: some are not there yet
    static constexpr std::uint8_t part_mark =
        16;  // a line of a wide transaction, made by the slice that carries it out
    static constexpr std::uint8_t awaited_mark = 32;  // the port of its requester has not seen its answer
    static constexpr std::uint8_t handed_mark =
        64;  // a module of the base protocol has handed it on, and nobody answered
    static constexpr std::uint8_t taken_mark = 128;  // a write-back: the memory's queue has it

    static constexpr std::uint8_t in_message = 1;  // parts of a message
    static constexpr std::uint8_t begins_packet = 2;
    static constexpr std::uint8_t begins_message = 4;

    bool asks(std::uint8_t flag) const { return (flags & flag) != 0; }
    bool marked(std::uint8_t which) const { return (marks & which) != 0; }
    void mark(std::uint8_t which) { marks = static_cast<std::uint8_t>(marks | which); }
    void unmark(std::uint8_t which) { marks = static_cast<std::uint8_t>(marks & ~which); }
    bool traced() const { return asks(traced_flag); }
    // On the way to a switch that carries it out for a group, on the way from there to a member, or back.
    bool of_group() const { return source >= first_group || destination >= first_group; }
    // One whole line or several.
    bool full_line() const { return size.code() >= line_bytes; }
    bool wide() const { return size.code() > line_bytes; }
    std::uint32_t lines() const { return size.lines(); }
};
static_assert(sizeof(LineHeader) == 64 && alignof(LineHeader) == 64,
    "a line's header, with the note in it, is one cache line");

struct LineExtras;
class LineIssue;

class Line final : public LineHeader {
public:
    static constexpr unsigned max_depth = 32;

    // `roomy`: its pool has room for data behind it.
    Line(tlm::tlm_mm_interface* pool, bool roomy) : roomy_(roomy), pool_(pool) {}
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    // A requester issues the line: it sets operation and place, and whatever else it asks for by what this returns, before it
    // sends the line. Data are not touched.
    LineIssue begin(LineOp operation, std::uint64_t where, std::uint32_t bytes);

    // Of the answer, by who answers.
    tlm::tlm_response_status get_response_status() const { return static_cast<tlm::tlm_response_status>(status_); }
    void set_response_status(tlm::tlm_response_status status) { status_ = static_cast<std::int8_t>(status); }

    // The command of payload().
    tlm::tlm_command command() const
    {
        return op == LineOp::read ? tlm::TLM_READ_COMMAND
            : op == LineOp::write ? tlm::TLM_WRITE_COMMAND
                                  : tlm::TLM_IGNORE_COMMAND;
    }
    // The line as a generic payload, all attributes set: what an adapter hands to a module of the base protocol.
    tlm::tlm_generic_payload& make_payload();
    // The same as it was made and as others have left it.
    tlm::tlm_generic_payload& payload();

    // What decides among equal paths. After begin(), with the source set; `turn` counts the requester's lines to this
    // destination.
    void choose_path(PathSelection mode, std::uint32_t turn = 0)
    {
        if (mode == PathSelection::none) {
            path_hash = 0;
        } else if (mode == PathSelection::pairs) {
            path_hash = pair_hash(source, destination);
        } else if (mode == PathSelection::round_robin) {
            path_hash = turn;
        }
    }
    // For routes by way of a random place (RouteTable::scatters).
    void scatter(std::uint64_t seed) { path_hash = scattered_hash(path_hash, source, destination, seed); }

    // Return path, kept by modules that choose among several ports.
    void push_port(std::uint16_t port)
    {
        path_entry(depth) = port;
        ++depth;
    }
    std::uint16_t pop_port() { return path_entry(--depth); }

    std::uint16_t top_port() { return path_entry(depth - 1U); }

    // The same for a port below 4096 and the VC set that the line came in by.
    struct Hop {
        unsigned port;
        unsigned vc_set;
    };
    void push_hop(unsigned port, unsigned vc_set) { push_port(static_cast<std::uint16_t>(port | vc_set << 12)); }
    Hop pop_hop()
    {
        const unsigned entry = pop_port();
        return {entry & 0xfffU, entry >> 12U};
    }

    // Picks one of `count` equal choices and uses up that part of the path hash, so that choices at successive
    // modules are independent and a contiguous block spreads exactly evenly.
    unsigned pick(unsigned count)
    {
        if (count <= 1) return 0;
        const unsigned choice = path_hash % count;
        path_hash /= count;
        return choice;
    }

    // As many bytes as its pool gives a line, or as it needs where that gives none.
    std::uint8_t* data() { return roomy_ ? reinterpret_cast<std::uint8_t*>(this) + sizeof(Line) : own_data(); }
    const std::uint8_t* data() const { return const_cast<Line*>(this)->data(); }
    // The same; null where there is nothing but a word.
    const std::uint8_t* data_if_any() const { return roomy_ || has_own_data() ? data() : nullptr; }
    std::uint64_t operand() const;  // atomics, await: the first 8 bytes of data
    void set_operand(std::uint64_t value);
    std::uint64_t comparand() const;  // compare_swap: the next 8
    void set_comparand(std::uint64_t value);

    // For adapters around a module of the base protocol: notes what the data are, and whether they are still the same.
    void note_data();
    bool has_noted_data();

    // Where its time went, for a line with traced_flag.
    LatencyBreakdown& breakdown();

    // For a run whose parts exchange lines by value: a LineRecord (line_record.h) with the return path and the first `carried` bytes of data,
    // at `at`, where LineRecord::bytes() fit. All but the place on the event queue, the note of the module that has the line, and the
    // breakdown. Both return how many bytes it has.
    std::size_t save(std::byte* at, unsigned carried);
    std::size_t restore(const std::byte* at);

    static Line& of(ScheduledItem& item) { return static_cast<Line&>(static_cast<LineHeader&>(item)); }
    static const LineHeader& of(const ScheduledItem& item) { return static_cast<const LineHeader&>(item); }

    // The second cache line, for requester and home.
    alignas(64) Time issued = 0;  // when it was ready to leave its requester; by the port through which it leaves
    // Of a wide transaction on its way, ps: its last line is that much later than its first one.
    std::uint32_t tail = 0;
    // The requester's number of the transfer that the line is a part of: of a network card's descriptor (card/message_stage.h). 0:
    // the line is a transfer by itself.
    RequestField<std::uint32_t> transfer;

private:
    friend class LineIssue;
    friend class BaseToLineCore;

    // Foreign modules between two of our sockets have moved the address into another window; the adapter behind them puts the
    // requester's own back before it answers.
    void translate(std::uint64_t where)
    {
        address.value_ = where;
        destination.value_ = endpoint_of(where);
    }

    static constexpr unsigned near_entries = 4;
    static constexpr unsigned far_entries = 14;

    std::uint16_t& path_entry(unsigned number)
    {
        if (number < near_entries) return near_path[number];
        if (number < near_entries + far_entries) return far_path_[number - near_entries];
        return last_entry(number - near_entries - far_entries);
    }
    std::uint16_t& last_entry(unsigned number);
    LineExtras& extras();
    std::uint8_t* own_data();
    bool has_own_data() const;
    std::uint8_t* word();  // the first 8 bytes of data

    std::int8_t status_ = tlm::TLM_INCOMPLETE_RESPONSE;
    bool roomy_;               // its data are behind it
    bool has_extras_ = false;  // true: extras_ is valid, which leads to the pool; false: pool_
    std::uint16_t far_path_[far_entries] = {};
    union {
        tlm::tlm_mm_interface* pool_;
        LineExtras* extras_;
    };
    // Without room: the first 8 bytes of data, zeros behind them, until somebody asks where they are.
    std::uint64_t word_ = 0;
};
static_assert(sizeof(Line) == 128, "a line is a header and a cache line for its ends; its data are behind it");

// A line while its requester issues it, from begin() to when it is sent: the only way to write what the line asks for.
class LineIssue {
public:
    operator Line&() const { return line_; }
    Line& line() const { return line_; }

    // Another operation at the same address, instead of a read or a write.
    const LineIssue& become(LineOp operation) const { return set(line_.op, operation); }
    const LineIssue& function(AtomicOp function) const { return set(line_.function, function); }
    const LineIssue& source(std::size_t endpoint) const
    {
        return set(line_.source, static_cast<std::uint16_t>(endpoint));
    }
    const LineIssue& tag(std::uint32_t tag) const { return set(line_.tag, tag); }
    const LineIssue& transfer(std::uint32_t transfer) const { return set(line_.transfer, transfer); }
    // Adds to the flags.
    const LineIssue& flag(unsigned flags) const
    {
        return set(line_.flags, static_cast<std::uint8_t>(line_.flags | flags));
    }

private:
    friend class Line;

    explicit LineIssue(Line& line) : line_(line) {}
    template <class Field, class T>
    const LineIssue& set(Field& field, T value) const
    {
        field.value_ = value;
        return *this;
    }

    Line& line_;
};

inline LineIssue Line::begin(LineOp operation, std::uint64_t where, std::uint32_t bytes)
{
    op.value_ = operation;
    address.value_ = where;
    size.code_ = SizeField::code_of(bytes);
    destination.value_ = endpoint_of(where);
    path_hash = static_cast<std::uint32_t>(local_of(where) / line_bytes);
    function.value_ = AtomicOp::add;
    flags.value_ = 0;
    marks = 0;
    depth = 0;
    message_part = 0;
    transfer.value_ = 0;
    tail = 0;
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return LineIssue(*this);
}

// What leads from a generic payload back to its line.
class LineExtension : public tlm::tlm_extension<LineExtension> {
public:
    explicit LineExtension(Line& line) : line(&line) {}
    tlm::tlm_extension_base* clone() const override { return nullptr; }
    void copy_from(const tlm::tlm_extension_base&) override {}

    Line* line;
};

// What few lines need.
struct LineExtras {
    LineExtras(Line& line, tlm::tlm_mm_interface* pool);

    tlm::tlm_generic_payload payload;
    LatencyBreakdown breakdown;
    std::uint64_t noted_data = 0;    // a digest
    std::uint16_t path[14] = {};     // the last entries of a long return path
    std::vector<std::uint8_t> data;  // of a line without room for them; empty: nobody has asked for it
};

}  // namespace weft
