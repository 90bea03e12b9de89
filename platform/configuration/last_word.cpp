#include "platform/configuration/last_word.h"

#include <tuple>

namespace weft {

std::optional<ValuePlace> last_word(const ResolvedSystem& system, const std::vector<SourceId>& values)
{
    std::optional<ValuePlace> best;
    std::tuple<bool, SourceId, int> best_order{};  // set for this system, by layer; a profile's by line
    for (const SourceId id : values) {
        const ValueSource& from = system.source(id);
        const bool is_set = !from.file.empty();
        if (!is_set && from.profile_file.empty()) continue;
        const std::tuple<bool, SourceId, int> order{is_set, is_set ? id : 0, is_set ? 0 : from.profile_line};
        if (best && order <= best_order) continue;
        best_order = order;
        best = is_set ? ValuePlace{from.file, from.line} : ValuePlace{from.profile_file, from.profile_line};
    }
    return best;
}

}  // namespace weft
