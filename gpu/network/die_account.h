// Statistics of the on-die network's ports, of all owners: by kind, bytes of all and busy time of the busiest. Texts
// and units
// are declared in network_statistics.h.
#pragma once

#include <string>
#include <vector>

#include "base/statistic.h"
#include "tlm_interconnect/kernel/rate_servers.h"

namespace weft {

// Nothing where there is no limit.
void add_load(const std::string& name, const std::vector<const RateServers*>& places, std::vector<Statistic>& out);

class DieAccount {
public:
    // Kinds are reported in the order in which they are named first.
    void count(const std::string& name, RateServers& ports);

    void add_statistics(std::vector<Statistic>& out) const;
    void reset_statistics();

private:
    struct Kind {
        std::string name;
        std::vector<RateServers*> ports;
    };
    std::vector<Kind> kinds_;
};

}  // namespace weft
