// One operation of a Chakra execution trace as the rest of Weft sees it, whatever file form it came
// from, and what the simulator makes of it: resource, recorded time, bytes of a collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::chakra {

// Numbers of the file format; a file may hold others, which name_of() prints as a number.
enum class NodeType : std::uint32_t { invalid, metadata, mem_load, mem_store, comp, send, recv, coll };

enum class CollectiveType : std::uint64_t {
    all_reduce,
    reduce,
    all_gather,
    gather,
    scatter,
    broadcast,
    all_to_all,
    reduce_scatter,
    reduce_scatter_block,
    barrier
};

bool is_known(NodeType type);
bool is_known(CollectiveType type);
std::string name_of(NodeType type);        // "COMM_COLL_NODE", "42"
std::string name_of(CollectiveType type);  // "ALL_REDUCE", "99"

// A product of matrices that a COMP node carries out: `count` times M x K by K x N. 0: not stated.
struct MatrixProduct {
    std::uint64_t m = 0;
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    std::uint64_t count = 1;

    bool stated() const { return m > 0 && n > 0 && k > 0 && count > 0; }
    // 2 M N K of each; none beyond 2^64.
    std::optional<std::uint64_t> operations() const;
    // Whether they are `num_ops`. Of several products one direction may be rounded up, where what is shared out among them does not
    // divide: tokens among experts.
    bool agrees_with(std::uint64_t num_ops) const;
};

// An attribute that the file does not give is empty or has the stated default. Attributes are read
// only on the node types on which they mean something.
struct Node {
    std::uint64_t id = 0;
    std::string name;
    NodeType type = NodeType::invalid;
    std::vector<std::uint64_t> data_deps;
    std::vector<std::uint64_t> ctrl_deps;
    std::uint64_t duration_ps = 0;  // recorded
    bool duration_stated = false;   // the file has it, perhaps as 0; in protobuf 0 and none are the same
    bool on_cpu = false;

    std::optional<std::uint64_t> num_ops;      // COMP
    std::optional<std::uint64_t> tensor_size;  // COMP, MEM: bytes touched
    MatrixProduct product;                     // COMP: gemm_m, gemm_n, gemm_k, gemm_count
    std::optional<std::uint64_t> location;     // MEM: tensor_loc, which of several memories
    std::optional<CollectiveType> comm_type;   // COLL
    std::optional<std::uint64_t> comm_size;    // COLL, SEND, RECV: bytes, see collective_bytes()
    std::int64_t priority = 0;                 // COLL
    std::optional<std::uint32_t> src;          // SEND, RECV: rank
    std::optional<std::uint32_t> dst;          // SEND, RECV: rank
    std::optional<std::int64_t> tag;           // SEND, RECV
    std::string group;                         // COLL, SEND, RECV: pg_name; "" and "0" = all ranks
    std::vector<bool> involved_dim;            // COLL; empty = every dimension

    std::string inputs;      // METADATA: inputs.values, where process groups are written
    bool has_group = false;  // pg_name was given, even if empty
    // Lowest field number of 1..20 that does not belong to the present layout of the file (it then
    // was probably written in one of 2023); 0 = none.
    std::uint32_t foreign_field = 0;
    // Where the node stands: number of its message, metadata being 1, or line of a JSON file.
    int line = 0;
};

// "node 12 (all_reduce)", for diagnostics: control characters replaced, long names shortened.
std::string label_of(const Node& node);
std::string printable(const std::string& text, std::size_t limit = 80);

bool is_communication(const Node& node);  // COLL, SEND, RECV
bool is_memory(const Node& node);

// The CPU-side call that started a collective on the accelerator, as PyTorch traces hold it: a
// collective on the CPU with neither comm_type nor comm_size. It runs as CPU work of recorded time.
bool is_launcher(const Node& node);

// The resource that a node occupies while it runs. Limits per resource are the engine's.
enum class Resource : std::uint8_t { none, cpu, compute, communication, receive };
constexpr std::size_t resource_count = 5;
Resource resource_of(const Node& node);

// Recorded duration; 1 ns where it is 0 and not stated.
std::uint64_t recorded_time_ps(const Node& node);

// Roofline time, to the nearest ps and at least one; 0 when tensor_size is 0 (the node is skipped). Rates must be positive. Throws
// std::overflow_error beyond 2^63 ps.
std::uint64_t roofline_time_ps(std::uint64_t num_ops, std::uint64_t tensor_size, double peak_ops_per_s,
    double memory_bytes_per_s);

// Size of a collective as nccl-tests count it (all-gather: total output; reduce-scatter: total input;
// otherwise one rank's buffer) from comm_size. Throws std::overflow_error beyond 2^64.
std::uint64_t collective_bytes(CollectiveType type, std::uint64_t comm_size, std::uint32_t ranks);

}  // namespace weft::chakra
