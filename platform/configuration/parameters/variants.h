// Values of one block, each distinct combination once: tens of thousands of nodes and edges share a few.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/configuration/parameters/blocks.h"

namespace weft {

using SourceId = std::uint32_t;
using VariantId = std::uint32_t;
constexpr VariantId no_variant = 0xffffffffU;

// The values of one block in the order of its table, each with where it comes from.
struct Variant {
    std::vector<std::uint64_t> values;
    std::vector<SourceId> sources;

    bool operator<(const Variant& other) const
    {
        return std::tie(values, sources) < std::tie(other.values, other.sources);
    }
};

class VariantPool {
public:
    VariantId add(Variant variant)
    {
        const auto [entry, fresh] = ids_.try_emplace(std::move(variant), static_cast<VariantId>(order_.size()));
        if (fresh) order_.push_back(&entry->first);
        return entry->second;
    }

    // `id` with one value replaced.
    VariantId changed(VariantId id, std::size_t parameter, std::uint64_t value, SourceId source)
    {
        const auto key = std::make_tuple(id, parameter, value, source);
        const auto known = changes_.find(key);
        if (known != changes_.end()) return known->second;
        Variant variant = at(id);
        variant.values[parameter] = value;
        variant.sources[parameter] = source;
        return changes_[key] = add(std::move(variant));
    }

    const Variant& at(VariantId id) const { return *order_[id]; }
    std::size_t size() const { return order_.size(); }

private:
    std::map<Variant, VariantId> ids_;
    std::vector<const Variant*> order_;  // keys of ids_: a map never moves them
    std::map<std::tuple<VariantId, std::size_t, std::uint64_t, SourceId>, VariantId> changes_;
};

}  // namespace weft
