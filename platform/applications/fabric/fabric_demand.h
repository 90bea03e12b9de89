// What load 1 of a pattern asks of links, and whether what a load got through has the shares of the pattern.
//
// Traffic that passes a full link is held up, other traffic of the same senders is not: what such a sender gets through is a load of
// another pattern. Links tell. Of a load all of whose lines arrived, however late, each link had the busy time that the pattern asks
// of it; of another load it carried no less than that in proportion, if the pattern was kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/applications/fabric/fabric_bench.h"

namespace weft {

struct FabricSweep;

struct FabricDemand {
    struct Link {
        std::string name;
        double asked = 0;      // busy time of load 1, as a share of time
        double lines = 0;      // that tell it
        double by_chance = 0;  // deviation of `asked`, as a share of it
    };
    std::vector<Link> links;  // by the order of FabricPoint::uses
    double created = 0;       // load that they are from, of all loads that tell together
    double together = 1;
    std::string
        name;  // the link: of those asked for most that chance does not tell apart, the first of those nearest to an accelerator
    double asked = 0;     // mean of all that chance does not tell apart
    double interval = 0;  // half width of its 95 % confidence interval, as a share of it
    double allowed = 0;   // deviation of it that says nothing, as a share of it

    // A load that asks the link for more than it carries cannot be sustained.
    double most() const { return 1 / asked; }
    bool can_carry(double load) const { return load <= (1 + allowed) * most(); }
    // Whether no link carried less, in the second half of `point`, than `load` asks of it.
    bool keeps(const FabricPoint& point, double load) const;
};

// From the loads all of whose lines arrived, those of less than half of the highest left out. None: there is no such load.
std::optional<FabricDemand> demand_of(const FabricSweep& sweep);

}  // namespace weft
