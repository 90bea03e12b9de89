// The limit of accepted traffic: a full link, the message rate of a network card, an adapter's own bounds, or a foreign model behind one.
//
// Everything is measured over a span of simulated time. A link that is busy for at least 95 % of it is the limit, one that
// leaves a switch rather than a source's own, which load 1 fills whatever becomes of its lines; of several the one nearest to an
// accelerator, since those before it may be filling buffers. Between the two comes a network card that starts messages for as much
// of it. If no
// link is full, and links went back after bit errors, the one that did so most often is named. Else the adapter or the foreign model that held lines up for at least half of it is: where transactions take more than 1.5
// times as long behind an adapter as one by itself, what is behind it and not its own bounds. Otherwise the limit lies
// in the switches or in credits, and nobody is blamed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/assembly/fabric_modules.h"
#include "tlm_interconnect/adapters/adapter_limits.h"

namespace weft {

constexpr double full_link = 0.95;  // of the time

enum class LimitSide : std::uint8_t { unknown, link, adapter, model, card, replay };
const std::vector<std::string>& limit_side_names();

struct FabricLimit {
    LimitSide side = LimitSide::unknown;
    std::string name;           // of the link or adapter; of an unknown limit the busiest link
    std::string what;           // what held lines up there; empty for links
    double share = 0;           // of the time
    unsigned others = 0;        // further links that are as full
    std::uint64_t replays = 0;  // times that the link went back
    std::string service;        // of an adapter: how long transactions take behind it, and how long by themselves
    double asked = 0;           // of a link: times what it carries that load 1 asks for; 0: not known

    // One sentence for the report.
    std::string text() const;
};

// Statistics of one link at one load.
struct FabricLinkUse {
    std::string name;
    double carried = 0;  // share of the second half of the run that it was busy
    double needed = 0;   // busy time for all lines of the run, as a share of its duration; 0: not all of them arrived
    std::uint64_t lines = 0;  // of the whole run
    unsigned left = 0;        // links from its end to the nearest accelerator
};

// The busiest link that leaves a switch, with its busy time up to `now` as a share of `span`; of several within a tenth of the busiest, the
// one nearest to an accelerator. None: no link leaves a switch.
std::optional<FabricLimit> busiest_link(const FabricModules& fabric, const Graph& graph, Time now, Time span);

class LimitProbe : public TimedComponent {
public:
    // Measures from `from` to `to`. `fabric` and `graph` must outlive it. Before time starts.
    LimitProbe(EventQueue& event_queue, const FabricModules& fabric, const Graph& graph, Time from, Time to);

    // Once `to` has passed.
    FabricLimit result() const;
    // The same, of all links. `end`: when the last line had arrived; none: some have not.
    std::vector<FabricLinkUse> uses(std::optional<Time> end) const;

private:
    struct Held {
        LimitSide side;
        std::string name;
        std::string what;
        Time time;
        bool inner;     // a link that leaves a switch
        unsigned left;  // links from its end to the nearest accelerator
        ServiceTime service;
        std::uint64_t replays = 0;
        std::uint64_t lines = 0;
    };

    void run(ScheduledItem& item) override;
    std::vector<Held> look(Time now) const;
    static void tell_service(FabricLimit& limit, const ServiceTime& before, const ServiceTime& after);

    const FabricModules& fabric_;
    const Graph& graph_;
    Time from_;
    Time to_;
    ScheduledItem begin_;
    ScheduledItem end_;
    std::vector<unsigned> distance_;  // by node, to the nearest accelerator
    std::vector<Held> before_;
    std::vector<Held> after_;
};

}  // namespace weft
