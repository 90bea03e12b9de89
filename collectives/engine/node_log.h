// Records what the nodes of a trace did and what let each of them start: for timelines and for the critical path of a whole trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/engine/breakdown.h"
#include "collectives/engine/executor.h"

namespace weft {

struct NodeRecord {
    static constexpr std::size_t none = ~std::size_t{0};

    enum class Kind : std::uint8_t { compute, cpu, memory, send, receive, collective, other };

    std::uint32_t rank = 0;
    std::uint64_t node = 0;
    std::string name;
    Kind kind = Kind::other;
    std::string operation;    // of a collective: "all_reduce"
    std::uint64_t bytes = 0;  // of a collective or a transfer, as the node says; of a memory node
    std::uint32_t ranks = 0;  // that a collective or a transfer has
    Picoseconds begin = 0;
    Picoseconds end = 0;
    bool ended = false;              // if not, the run ended meanwhile, at `end`
    std::size_t released_by = none;  // record whose end let this node start; none: it was free from the beginning
    std::size_t exchange = none;     // of a collective or a transfer
};

class NodeLog {
public:
    static constexpr std::size_t none = NodeRecord::none;

    // The nodes of one collective or transfer, in the order in which they came.
    using Exchange = std::vector<std::size_t>;

    std::size_t begin(NodeRecord record)
    {
        records_.push_back(std::move(record));
        return records_.size() - 1;
    }
    void end(std::size_t record, Picoseconds now)
    {
        records_[record].end = now;
        records_[record].ended = true;
    }
    // The run ends now: what has not ended is unfinished, with this as its end.
    void cut_off(Picoseconds now)
    {
        for (NodeRecord& record : records_)
            if (!record.ended) record.end = std::max(record.begin, now);
    }
    std::size_t open_exchange()
    {
        exchanges_.emplace_back();
        return exchanges_.size() - 1;
    }
    void join(std::size_t exchange, std::size_t record)
    {
        records_[record].exchange = exchange;
        exchanges_[exchange].push_back(record);
    }

    const std::vector<NodeRecord>& records() const { return records_; }
    const std::vector<Exchange>& exchanges() const { return exchanges_; }

private:
    std::vector<NodeRecord> records_;
    std::vector<Exchange> exchanges_;
};

const char* name_of(NodeRecord::Kind kind);

}  // namespace weft
