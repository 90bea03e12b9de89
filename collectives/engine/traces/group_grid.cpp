#include "collectives/engine/traces/group_grid.h"

#include <algorithm>
#include <set>

namespace weft {

std::optional<std::vector<GroupAxis>> grid_of(const std::vector<std::uint32_t>& members,
    const std::vector<Dimension>& dimensions)
{
    std::vector<GroupAxis> axes;
    std::vector<std::uint32_t> ranks{0};  // all combinations
    std::uint32_t stride = 1;
    for (std::uint32_t d = 0; d < dimensions.size(); ++d) {
        std::set<std::uint32_t> coordinates;
        for (const std::uint32_t member : members) coordinates.insert(member / stride % dimensions[d].size);
        if (ranks.size() * coordinates.size() > members.size()) return std::nullopt;
        std::vector<std::uint32_t> grown;
        for (const std::uint32_t coordinate : coordinates)
            for (const std::uint32_t rank : ranks) grown.push_back(rank + coordinate * stride);
        ranks = std::move(grown);
        if (coordinates.size() > 1) axes.push_back({d, static_cast<std::uint32_t>(coordinates.size())});
        stride *= dimensions[d].size;
    }
    if (ranks != members) return std::nullopt;
    return axes;
}

}  // namespace weft
