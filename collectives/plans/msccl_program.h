// Thread blocks for MSCCL XML, filled one step at a time in an order in which all could run one after the other: gives
// every step its block, its channel and the steps that it waits for.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/plans/msccl_algo.h"

namespace weft {

constexpr std::uint32_t no_connection = ~std::uint32_t{0};

struct MscclOperation {
    MscclType type = MscclType::nop;
    std::uint32_t rank = 0;
    std::uint32_t thread = 0;  // local steps of one thread share a block
    Buffer source_buffer = Buffer::input;
    Buffer destination_buffer = Buffer::input;
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t count = 0;
    std::uint32_t recv = no_connection;
    std::uint32_t send = no_connection;
};

class MscclProgram {
public:
    // Every chunk of the schedule stands for `pieces` of the program.
    MscclProgram(const Schedule& schedule, std::uint32_t pieces);

    // Messages of one connection arrive in the order in which they are sent.
    std::uint32_t connection(std::uint32_t from, std::uint32_t to, std::uint64_t tag);

    // Whether receive and send of the step can stand in one block.
    bool fits(const MscclOperation& operation);
    // The step must fit.
    void append(const MscclOperation& operation);

    // Blocks of all gpus, with channels.
    void finish(MscclAlgo& algo);

private:
    struct Connection {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t send_block = no_connection;  // of all blocks
        std::uint32_t recv_block = no_connection;
        std::uint32_t group = 0;                                     // union-find: connections of one channel number
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // of a group's head: (from, to) of its members
    };
    struct Block {
        std::uint32_t rank = 0;
        std::uint32_t send = no_connection;
        std::uint32_t recv = no_connection;
        std::vector<MscclStep> steps;
        std::map<std::uint32_t, std::size_t> known;  // by other block: steps known to be complete
        std::uint32_t id = 0;                        // in its gpu
    };
    struct At {
        std::uint32_t block = 0;
        std::size_t step = 0;
    };
    struct Cell {
        bool written = false;
        At writer;
        std::vector<At> readers;
    };
    using Place = std::tuple<std::uint32_t, Buffer, std::uint32_t>;  // rank, memory, chunk

    std::uint32_t head(std::uint32_t connection);
    std::uint32_t block_of(const MscclOperation& operation);
    bool may_join(std::uint32_t recv, std::uint32_t send);
    Place place(std::uint32_t rank, Buffer buffer, std::uint32_t chunk) const;
    void depend(std::uint32_t block, At on, std::vector<At>& waits);

    const Schedule& schedule_;
    std::uint32_t pieces_;
    std::vector<Connection> connections_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> numbers_;
    std::vector<Block> blocks_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> local_;  // by rank and thread
    std::map<Place, Cell> cells_;
};

}  // namespace weft
