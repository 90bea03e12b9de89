#include "collectives/schedule/verification/contribution.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace weft {

namespace {

bool same(const Contribution& a, const Contribution& b)
{
    return a.rank == b.rank && a.chunk == b.chunk && a.times == b.times;
}

std::uint64_t hash(const std::vector<Contribution>& value)
{
    std::uint64_t h = value.size();
    for (const Contribution& c : value)
        for (std::uint64_t part : {c.rank, c.chunk, c.times}) h = (h ^ part) * 0x9e3779b97f4a7c15ull ^ h >> 29;
    return h;
}

// Chunk by chunk, and by rank in a chunk, so that text comes out grouped.
bool before(const Contribution& a, const Contribution& b)
{
    return std::pair(a.chunk, a.rank) < std::pair(b.chunk, b.rank);
}

}  // namespace

Contributions::Contributions(ReduceOp reduction) : reduction_(reduction), values_(1) {}

ValueId Contributions::intern(std::vector<Contribution> sorted)
{
    const std::uint64_t h = hash(sorted);
    const auto [first, last] = by_hash_.equal_range(h);
    for (auto known = first; known != last; ++known) {
        const std::vector<Contribution>& value = values_[known->second];
        if (std::equal(value.begin(), value.end(), sorted.begin(), sorted.end(), same)) return known->second;
    }
    const auto id = static_cast<ValueId>(values_.size());
    held_ += sorted.size();
    values_.push_back(std::move(sorted));
    by_hash_.emplace(h, id);
    return id;
}

ValueId Contributions::sum_over_ranks(std::uint32_t ranks, std::uint32_t chunk)
{
    std::vector<Contribution> value;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) value.push_back({rank, chunk, 1});
    return intern(std::move(value));
}

ValueId Contributions::combine(ValueId a, ValueId b)
{
    if (a == nothing_written || b == nothing_written) return nothing_written;
    const std::uint64_t pair = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    const auto known = combined_.find(pair);
    if (known != combined_.end()) return known->second;
    std::vector<Contribution> merged;
    for (ValueId id : {a, b}) merged.insert(merged.end(), values_[id].begin(), values_[id].end());
    std::inplace_merge(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(values_[a].size()), merged.end(),
        before);
    std::vector<Contribution> counted;
    for (const Contribution& c : merged) {
        if (counted.empty() || before(counted.back(), c)) {
            counted.push_back(c);
        } else if (reduction_ == ReduceOp::sum) {
            const std::uint64_t times = std::uint64_t{counted.back().times} + c.times;
            counted.back().times =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(times, std::numeric_limits<std::uint32_t>::max()));
        }
    }
    const ValueId id = intern(std::move(counted));
    combined_.emplace(pair, id);
    return id;
}

std::string Contributions::text(ValueId value) const
{
    if (value == nothing_written) return "nothing";
    const std::vector<Contribution>& all = values_[value];
    std::string text;
    for (std::size_t i = 0; i < all.size();) {
        const bool new_chunk = i == 0 || all[i].chunk != all[i - 1].chunk;
        std::size_t end = i + 1;
        while (end < all.size() && all[end].chunk == all[i].chunk && all[end].times == all[i].times &&
            all[end].rank == all[end - 1].rank + 1)
            ++end;
        if (new_chunk) {
            std::size_t of_chunk = i;
            while (of_chunk < all.size() && all[of_chunk].chunk == all[i].chunk) ++of_chunk;
            text += fmt::format("{}input chunk {} of rank{} ", i == 0 ? "" : " and ", all[i].chunk,
                of_chunk - i > 1 ? "s" : "");
        } else {
            text += ", ";
        }
        text += std::to_string(all[i].rank);
        if (end - i > 1) text += fmt::format("-{}", all[end - 1].rank);
        if (all[i].times > 1) text += fmt::format(" ({} times)", all[i].times);
        i = end;
        if (text.size() > 300 && i < all.size()) return text + " and more";
    }
    return text;
}

}  // namespace weft
