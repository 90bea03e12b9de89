#include "collectives/chakra/matching.h"

namespace weft::chakra {

namespace {

constexpr std::uint64_t first_seed = 0x9e3779b97f4a7c15;
constexpr std::uint64_t second_seed = 0xc2b2ae3d27d4eb4f;

// The finaliser of splitmix64: every input bit reaches every output bit.
std::uint64_t mixed(std::uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

std::uint64_t hash_of(std::uint64_t a, std::uint64_t b, std::uint64_t seed)
{
    return mixed(mixed(a + seed) + b * seed + 1);
}

}  // namespace

void TransferBalance::add(std::uint32_t source, std::uint32_t destination, const Node& transfer)
{
    Sums& sums = sums_[{source, destination}];
    const auto tag = static_cast<std::uint64_t>(*transfer.tag);
    const std::uint64_t first = hash_of(tag, *transfer.comm_size, first_seed);
    const std::uint64_t second = hash_of(tag, *transfer.comm_size, second_seed);
    const bool send = transfer.type == NodeType::send;
    sums.first += send ? first : ~first + 1;
    sums.second += send ? second : ~second + 1;
}

std::vector<TransferBalance::Pair> TransferBalance::unbalanced() const
{
    std::vector<Pair> pairs;
    for (const auto& [pair, sums] : sums_)
        if (sums.first != 0 || sums.second != 0) pairs.push_back(pair);
    return pairs;
}

void CollectiveDigest::add(const Node& collective)
{
    const auto type = static_cast<std::uint64_t>(*collective.comm_type);
    const std::uint64_t size = collective.comm_size.value_or(0);
    ++count;
    first = mixed(first + hash_of(type, size, first_seed));
    second = mixed(second + hash_of(type, size, second_seed));
}

}  // namespace weft::chakra
