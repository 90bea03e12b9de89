// The sums over a rank's trace: operations by purpose, communication by scheme.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace weft::workload {

enum class Work : std::uint8_t { forward, backward, recompute, optimizer };
constexpr std::size_t work_count = 4;
const char* name_of(Work work);

// A scheme and operation over groups of one size.
struct CommunicationKey {
    std::string scheme;  // tensor, pipeline, data, context, expert, cache, ...
    std::string operation;
    std::uint32_t ranks = 0;

    bool operator<(const CommunicationKey& other) const
    {
        return std::tie(scheme, operation, ranks) < std::tie(other.scheme, other.operation, other.ranks);
    }
};

struct CommunicationSum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  // S of nccl-tests, added up
    std::uint64_t sent = 0;   // that this rank sends at the least: S x (n-1)/n, twice of an all-reduce
};

struct Ledger {
    std::array<std::uint64_t, work_count> operations{};
    std::array<std::uint64_t, work_count> memory_bytes{};
    std::map<CommunicationKey, CommunicationSum> communication;
    std::uint64_t nodes = 0;
    std::uint64_t parameters = 0;  // that the rank holds, sharded or not
};

}  // namespace weft::workload
