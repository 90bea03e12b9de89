// The trace of one rank while it is written. Compute nodes form a chain, as kernels of one stream; a communication either
// stands in that chain or runs beside it.
#pragma once

#include <string>
#include <vector>

#include "collectives/chakra/node.h"
#include "collectives/workload/kernels.h"
#include "collectives/workload/ledger.h"
#include "collectives/workload/rank_grid.h"

namespace weft::workload {

using NodeIds = std::vector<std::uint64_t>;

class RankTrace {
public:
    explicit RankTrace(std::uint32_t rank) : rank_(rank) {}

    std::uint32_t rank() const { return rank_; }

    // Behind the chain, and becomes its end.
    std::uint64_t compute(const std::string& name, const Kernel& kernel, Work work);
    // The next of the chain also waits for these.
    void join(const NodeIds& ids);
    const NodeIds& tail() const { return tail_; }

    // `bytes`: comm_size, of an all-gather one rank's part. A group of one: no node, and `after` is returned.
    struct Message {
        const char* scheme;
        chakra::CollectiveType type;
        std::uint64_t bytes;
        const Membership& group;
    };
    NodeIds beside(const std::string& name, const Message& message, const NodeIds& after);
    void in_chain(const std::string& name, const Message& message);

    std::uint64_t send(const char* scheme, const std::string& name, std::uint32_t to, std::uint32_t tag,
        std::uint64_t bytes, const NodeIds& after);
    std::uint64_t receive(const std::string& name, std::uint32_t from, std::uint32_t tag, std::uint64_t bytes,
        const NodeIds& after);

    std::vector<chakra::Node>& nodes() { return nodes_; }
    const std::vector<chakra::Node>& nodes() const { return nodes_; }
    Ledger& ledger() { return ledger_; }
    const Ledger& ledger() const { return ledger_; }

private:
    chakra::Node& add(const std::string& name, chakra::NodeType type, const NodeIds& after);

    std::uint32_t rank_;
    std::vector<chakra::Node> nodes_;
    NodeIds tail_;
    Ledger ledger_;
};

}  // namespace weft::workload
