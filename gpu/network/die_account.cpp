#include "gpu/network/die_account.h"

#include <algorithm>

#include "gpu/network/network_statistics.h"

namespace weft {

void add_load(const std::string& name, const std::vector<const RateServers*>& places, std::vector<Statistic>& out)
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
    StatisticWriter write(network_statistics(), out);
    write(name + "_bytes", bytes);
    write(name + "_busy", busiest);
}

void DieAccount::count(const std::string& name, RateServers& ports)
{
    auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& known) { return known.name == name; });
    if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {name, {}});
    kind->ports.push_back(&ports);
}

void DieAccount::add_statistics(std::vector<Statistic>& out) const
{
    for (const Kind& kind : kinds_) add_load(kind.name, {kind.ports.begin(), kind.ports.end()}, out);
}

void DieAccount::reset_statistics()
{
    for (const Kind& kind : kinds_)
        for (RateServers* ports : kind.ports) ports->reset_statistics();
}

}  // namespace weft
