// The built-in algorithms and their registry.
//
// All are one-sided. Those that put, which most do: a rank stores into buffers of its peers, then signals;
// the peer waits on a semaphore of its own. Every instance of a collective has freshly allocated output and
// scratch buffers and semaphores, so a peer may be written before it has entered, and no hand-shake precedes
// the first store. Those that get: a rank signals that it has entered, so that its input is ready, and loads
// the inputs of its peers when they have. Buffers live until the last rank has left, so none follows the last
// load. No scratch slot is written twice.
//
// Channels: with C channels a rank has C threads, or C for each of its streams (every one of several rings,
// the way up and the way down of a tree). Thread c of them handles part c of C of every chunk and has
// semaphores of its own, so channels never meet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/algorithms/dimension_order.h"
#include "collectives/schedule/schedule.h"

namespace weft {

struct Dimension {
    std::string name;  // for messages
    std::uint32_t size = 1;
    std::string algorithm = "ring";  // within it: ring, direct or recursive
    // Bytes/s at which every rank sends along it while all do; 0: unknown, as fast as the fastest.
    std::uint64_t rate = 0;
};

// "xpu=8,host=4", innermost first, each with an algorithm if it is not ring: "xpu=8:direct,host=4". Nothing
// if the text is of another form, or a name comes twice, which is then in `repeated`.
std::optional<std::vector<Dimension>> dimensions_from_text(const std::string& text, std::string* repeated = nullptr);
inline constexpr const char* dimensions_form =
    "NAME=SIZE or NAME=SIZE:ALGORITHM (ring, direct, recursive), innermost first, such as xpu=8,host=4";

struct ChunkScheduling {
    DimensionOrder order = DimensionOrder::fixed;
    DimensionQueue queue = DimensionQueue::fifo;
    std::uint32_t chunks = 8;   // that the message is cut into, 1 to 256
    std::uint32_t streams = 1;  // operations in flight in each dimension, 1 to 16
    // online_greedy: what is still to be done in each dimension before this begins, model time.
    std::vector<std::uint64_t> outstanding;
};

struct AlgorithmOptions {
    std::uint32_t channels = 1;  // 1 to 256
    std::uint32_t root = 0;      // broadcast, reduce, gather, scatter
    std::uint32_t pipeline = 8;  // trees, chains, broadcast ring: chunks, 1 to 65536
    ReduceOp reduction = ReduceOp::sum;
    std::uint32_t rings = 0;  // `rings`: how many; 0 = as many as share no link, at most 8
    // Rings as orders of ranks. `rings` takes all of them, `ring` as well where it is not left at 0, 1, 2,
    // ...; bidirectional_ring, chains and the rings of gather, scatter and broadcast take the first.
    std::vector<std::vector<std::uint32_t>> orders;
    // hierarchical, multi_dim, nvls_tree, innermost first: rank = i0 + size0 (i1 + size1 (...)). The sizes multiply to
    // the number of ranks. None given: two, as near to square as divides the ranks, the larger one inside.
    std::vector<Dimension> dimensions;
    ChunkScheduling scheduling;  // multi_dim
};

constexpr std::uint32_t most_ranks = 4096;
constexpr std::uint32_t most_rings = 64;
constexpr std::uint32_t most_pipeline = 65536;
constexpr std::uint32_t most_dimension_chunks = 256;
constexpr std::uint32_t most_dimension_streams = 16;

// The operation that carries the data: stores to peers, loads from peers, or steps that only a switch can do.
enum class Carrier : std::uint8_t { put, get, in_switch };

struct AlgorithmInfo {
    CollectiveOp op;
    const char* name;
    Carrier carrier;
    const char* steps;  // dependent transfers (barrier: signals); n ranks, k pipeline chunks
    const char* bytes;  // sent by a rank; S message, s(r) the share of rank r
    const char* how;    // one line
};

// Names that make_schedule knows for `op`, the default first.
std::vector<std::string> algorithm_names(CollectiveOp op);
// Null if there is none of that name.
const AlgorithmInfo* algorithm_info(CollectiveOp op, const std::string& algorithm);
// Whether a rank takes the part of a root in it.
bool has_root(CollectiveOp op);
// Whether elements are combined in it.
bool has_reduction(CollectiveOp op);
// Which of the options change the steps of an algorithm; none for a name that `op` does not know.
struct OptionUse {
    bool rings = false;
    bool pipeline = false;
    bool dimensions = false;
};
OptionUse option_use(CollectiveOp op, const std::string& algorithm);

// Throws InputError for a name that `op` does not know and for options out of range or at odds with `ranks`.
Schedule make_schedule(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options = {});

// The same, but where channels do nothing but their part of the same steps it holds one of them (Schedule::channels).
Schedule make_held_schedule(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options = {});
// Whether they do.
bool channels_alike(const std::string& algorithm, CollectiveOp op);

// The values of options for this number of ranks; throw as make_schedule does.
std::vector<std::vector<std::uint32_t>> ring_orders(const AlgorithmOptions& options, std::uint32_t ranks);
std::vector<Dimension> dimensions_of(const AlgorithmOptions& options, std::uint32_t ranks);

}  // namespace weft
