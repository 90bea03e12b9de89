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

void TransferBalance::add(const Pair& pair, const Node& transfer)
{
    const auto [entry, fresh] = sums_.try_emplace(pair);
    Sums& sums = entry->second;
    if (fresh) sums.size = *transfer.comm_size;
    sums.several = sums.several || sums.size != *transfer.comm_size;
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

bool TransferBalance::several_sizes(const Pair& pair) const
{
    const auto found = sums_.find(pair);
    return found != sums_.end() && found->second.several;
}

void TransferOrder::add(const Pair& pair, const Node& transfer)
{
    const bool send = transfer.type == NodeType::send;
    const std::uint64_t number = issued_[{pair, *transfer.tag}][send ? 1 : 0]++;
    const auto tag = static_cast<std::uint64_t>(*transfer.tag);
    const auto hash = [&](std::uint64_t seed) {
        return hash_of(hash_of(tag, number, seed), *transfer.comm_size, seed);
    };
    Sums& sums = sums_[pair];
    sums.first += send ? hash(first_seed) : ~hash(first_seed) + 1;
    sums.second += send ? hash(second_seed) : ~hash(second_seed) + 1;
}

void CollectiveDigest::add(const Node& collective, bool priorities)
{
    const auto type = static_cast<std::uint64_t>(*collective.comm_type);
    const std::uint64_t size = collective.comm_size.value_or(0);
    ++count;
    first = mixed(first + hash_of(type, size, first_seed));
    second = mixed(second + hash_of(type, size, second_seed));
    // A sum: members meet by kind and priority, whatever the order between priorities.
    if (priorities)
        prior += hash_of(hash_of(type, size, first_seed), static_cast<std::uint64_t>(collective.priority), second_seed);
}

}  // namespace weft::chakra
