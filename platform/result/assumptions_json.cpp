#include "platform/result/assumptions_json.h"

namespace weft {

nlohmann::ordered_json assumptions_json(const std::vector<Assumption>& assumptions)
{
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Assumption& assumption : assumptions)
        out.push_back({{"what", assumption.what()}, {"count", assumption.count}, {"taken", assumption.taken},
            {"because", assumption.missing + "; " + assumption.because}, {"set_with", assumption.set_with}});
    return out;
}

}  // namespace weft
