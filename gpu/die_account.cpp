#include "gpu/die_account.h"

#include <algorithm>

namespace weft {

void add_load(const std::string& name, const std::string& text, const std::vector<const RateServers*>& places, std::vector<Statistic>& out)
{
    std::uint64_t bytes = 0;
    double busiest = 0;
    bool limited = false;
    for (const RateServers* ways : places) {
        if (ways->size() == 0) continue;
        limited = true;
        bytes += ways->bytes();
        busiest = std::max(busiest, ways->time_of(ways->bytes(ways->busiest())));
    }
    if (!limited) return;
    out.push_back({name + "_bytes", static_cast<double>(bytes), "B", text + ", all together"});
    out.push_back({name + "_busy", busiest, "ps", text + ", time of the busiest"});
}

void DieAccount::count(const std::string& name, const std::string& text, RateServers& ports)
{
    auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& known) { return known.name == name; });
    if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {name, text, {}});
    kind->ports.push_back(&ports);
}

void DieAccount::add_statistics(std::vector<Statistic>& out) const
{
    for (const Kind& kind : kinds_) add_load(kind.name, kind.text, {kind.ports.begin(), kind.ports.end()}, out);
}

void DieAccount::reset_statistics()
{
    for (const Kind& kind : kinds_)
        for (RateServers* ports : kind.ports) ports->reset_statistics();
}

}  // namespace weft
