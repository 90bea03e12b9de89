// The one intermediate form of a collective: per rank, threads of chunk-level steps.
//
// Every source of a collective (built-in algorithm, MSCCL XML, MSCCL++ JSON, per-rank Chakra
// trace, synthesised plan) becomes a Schedule; verification (verify.h) and lowering to wavefront
// programs (collectives/engine) are written once, against this.
//
// Memory: each rank has five buffers, input, output, scratch, packets and staging, divided into chunks. A collective
// divides its message into `chunks` equal parts (the last ones may be smaller; see chunk_bounds).
// Where a chunk lies in bytes for a given message is decided by Layout (layout.h).
// In place means that input and output share one memory, the larger of the two: the input of
// reduce_scatter and scatter, the output of everything else (see home and in_place_offset).
// Packets are slots like scratch that keep data together with flags: every byte is stored once, a read
// waits until what it reads is there, and that orders nothing else.
// Staging is cells that hold a part of a chunk each, from their begin on, and are written again and again (staging.h).
//
// Time: threads of a rank run concurrently; the steps of a thread run in order. A step starts when
// all earlier steps of its thread are complete and every (thread, step) in `after`, and what precedes
// it in its thread, is complete. `with_previous` relaxes the former for a run of data steps.
// A data step is complete when all its stores are acknowledged. Across ranks, order comes only from
// signal and wait, from packets for the data in them, and from push_reduce among those who take part.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/element.h"

namespace weft {

enum class CollectiveOp : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    broadcast,
    reduce,
    gather,
    scatter,
    barrier,
    send_receive,  // the input of rank 0 to the output of rank 1
    custom         // no end state is demanded
};

const char* name_of(CollectiveOp op);  // "all_reduce", ...
bool collective_from_name(const std::string& name, CollectiveOp& op);

enum class Buffer : std::uint8_t { input, output, scratch, packets, staging };
constexpr unsigned buffer_kinds = 5;
constexpr Buffer all_buffers[buffer_kinds] = {Buffer::input, Buffer::output, Buffer::scratch, Buffer::packets,
    Buffer::staging};
// Slots that are not part of the message: scratch, packets, staging.
inline bool is_slot(Buffer buffer) { return buffer != Buffer::input && buffer != Buffer::output; }

// `count` consecutive chunks of one buffer of one rank.
struct ChunkRef {
    std::uint32_t rank = 0;
    Buffer buffer = Buffer::input;
    std::uint32_t index = 0;
    std::uint32_t count = 1;
};

enum class StepKind : std::uint8_t {
    // Reads every source (local or remote), combines them element by element with the schedule's
    // reduction in the order listed, writes the result to every destination (local or remote).
    // One source, one destination: copy (both local), put (remote destination), get (remote source).
    move,
    signal,       // adds 1 to `semaphore` of rank `peer`, after this thread's earlier stores (release)
    wait,         // waits for one further signal on own `semaphore` (acquire)
    barrier,      // joins `semaphore` with `participants` threads of this rank
    multicast,    // one source, stored through the switch to the same chunk of every destination
    load_reduce,  // the switch reads every source, combines them, returns one result, which is stored
    // The switch reads the same chunk of every source, combines them in the order listed and stores the result
    // to the same chunk of every destination.
    reduce_multicast,
    // One local source, the same chunk of every member as destinations. Every member has such a step; the k-th
    // of each go together. The switch combines their sources in the order of the destinations and stores
    // the result to all; complete when it is stored everywhere.
    push_reduce,
    nop  // only its dependencies count
};

const char* name_of(StepKind kind);
const char* name_of(Buffer buffer);

// What a move or a signal goes through where whoever carries it out has a choice: loads and stores of units, or requests to a
// proxy that has them copied. It says nothing of order. A nop of a port waits until its thread's requests are performed.
enum class StepChannel : std::uint8_t { any, memory, port };

struct StepId {
    std::uint32_t thread = 0;
    std::uint32_t step = 0;
};

struct Step {
    StepKind kind = StepKind::nop;
    std::vector<ChunkRef> sources;
    std::vector<ChunkRef> destinations;
    std::uint32_t peer = 0;          // signal: the rank that is signalled; wait: the rank waited for
    std::uint32_t semaphore = 0;     // signal, wait: index at the waiting rank; barrier: its id
    std::uint32_t participants = 0;  // barrier
    // This step handles part `part` of `parts` equal line-aligned shares of its operands
    // (several channels working on one chunk).
    std::uint32_t part = 0;
    std::uint32_t parts = 1;
    // A data step that need not wait for the data step before it: a run of such steps issues as one,
    // and the step after the run waits for all of it. They must not touch each other's results.
    // An executor that ignores this is right, only slower.
    bool with_previous = false;
    StepChannel channel = StepChannel::any;
    // A data step that was written for several of equal size, with the same ranks, one behind the other (programs of flow fidelity).
    std::uint32_t stands_for = 1;
    // A move between slots only: a chunk that is as long as what they hold, and is cut as its parts are. Without it
    // whole slots move.
    std::optional<ChunkRef> like;
    std::vector<StepId> after;  // further dependencies, same rank
};

struct Thread {
    std::vector<Step> steps;
};

struct RankPlan {
    std::vector<Thread> threads;
    std::uint32_t input_chunks = 0;
    std::uint32_t output_chunks = 0;
    std::uint32_t scratch_chunks = 0;
    std::uint32_t packet_chunks = 0;
    std::uint32_t staging_chunks = 0;
    std::uint32_t semaphores = 0;
};

// The choice of a schedule, if it was chosen by its price (collectives/synthesis).
struct SchedulePrice {
    std::string chosen_by;  // "auto", "synthesize"
    std::uint64_t estimate_ps = 0;
    std::vector<std::pair<std::string, std::int64_t>> terms;  // by cause, in ps; they add up to the estimate
};

struct Schedule {
    std::string name;  // "ring", "direct", or the plan's own name
    CollectiveOp op = CollectiveOp::custom;
    ReduceOp reduction = ReduceOp::sum;
    std::uint32_t chunks = 0;  // parts the message is divided into
    std::uint32_t root = 0;    // broadcast, reduce, gather, scatter
    bool in_place = false;
    // A semaphore may end with signals that nobody takes: credits of a plan. Elsewhere that is a fault.
    bool spare_signals = false;
    // So many threads for each that is held, which do an equal part of its steps each (channels.h). Whoever gets schedules from
    // anybody but make_held_schedule() has 1.
    std::uint32_t channels = 1;
    std::vector<RankPlan> ranks;
    std::shared_ptr<const SchedulePrice> price{};

    std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
    // Chunks that one rank contributes to (or keeps of) the message: chunks / size for all_gather,
    // reduce_scatter, all_to_all, gather and scatter, otherwise `chunks`.
    std::uint32_t chunks_per_rank() const;
    // Chunks that the collective gives to the input or output of a rank. A plan may leave a buffer
    // out (0 chunks declared); a custom collective has what it declares.
    std::uint32_t message_chunks(std::uint32_t rank, Buffer buffer) const;
    // Chunks declared in the plan of the rank.
    std::uint32_t declared_chunks(std::uint32_t rank, Buffer buffer) const;
    // The buffer in whose memory `buffer` lies: itself, unless in place.
    Buffer home(Buffer buffer) const;
    // Chunk of the home of `buffer` that its chunk 0 is.
    std::uint32_t in_place_offset(std::uint32_t rank, Buffer buffer) const;
};

// Steps by kind, for readers and generators of schedules.
bool is_data(StepKind kind);    // all that have sources and destinations
bool in_switch(StepKind kind);  // of these, what a switch carries out
Step move_step(std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations);
Step signal_step(std::uint32_t peer, std::uint32_t semaphore);
Step wait_step(std::uint32_t peer, std::uint32_t semaphore);

// Byte range [begin, end) of chunk `index` of `chunks` in a message of `bytes` bytes of elements of
// `element_bytes` (`bytes` is a multiple of it): chunks differ by at most one element, the longer ones
// first; sizes sum to `bytes`.
struct ByteRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t size() const { return end - begin; }
};
ByteRange chunk_bounds(std::uint64_t bytes, std::uint32_t element_bytes, std::uint32_t chunks, std::uint32_t index,
    std::uint32_t count = 1);

}  // namespace weft
