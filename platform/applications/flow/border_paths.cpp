#include "platform/applications/flow/border_paths.h"

#include <algorithm>
#include <cmath>

namespace weft {

BorderPaths::Way BorderPaths::made(const PartialPath& path)
{
    Way out;
    out.there = book_.add(path.path);
    out.back = book_.add(path.back, false);
    CostPath signal = path.path;
    signal.put_ps = path.signal_ps;
    out.signals = book_.add(signal, false);
    out.message = path.message;
    out.answers = path.answers;
    double sum = 0;
    for (const PartialPath::Exit& exit : path.exits) {
        sum += exit.share;
        const auto port = std::find_if(ports_.begin(), ports_.end(),
            [&](const Port& known) { return known.edge == exit.edge && known.outer == exit.node; });
        out.exits.push_back({static_cast<unsigned>(port - ports_.begin()), sum, exit.vc_set, exit.inputs});
        constexpr double tolerance = 1e-9;
        out.even = out.even && std::abs(exit.share - path.exits.front().share) < tolerance;
    }
    return out;
}

const BorderPaths::Way& BorderPaths::out(std::uint32_t from, std::uint32_t to)
{
    const auto known = out_.find({from, to});
    if (known != out_.end()) return known->second;
    return out_.emplace(std::pair{from, to}, made(paths_.path_to(from, to, lines_))).first->second;
}

const BorderPaths::Way& BorderPaths::in(unsigned port, std::uint32_t to)
{
    Known& known = in_[port][to];
    if (!known.made) {
        known.made = true;
        known.way = made(paths_.path_from(ports_[port].inner, ports_[port].outer, to, lines_));
    }
    return known.way;
}

}  // namespace weft
