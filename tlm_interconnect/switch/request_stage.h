// Something that requests pass in a switch between its pipeline and the queues of its outputs: it may keep them for a while.
// A network card makes messages there (card/message_stage.h).
#pragma once

#include <string>
#include <vector>

#include "base/statistic.h"
#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft {

// What the stage needs of the switch around it.
class StageHost {
public:
    virtual ~StageHost() = default;
    // The line goes on, at once or at `due`.
    virtual void stage_forward(Line& line, unsigned input) = 0;
    virtual void stage_later(Line& line, Time due, unsigned input) = 0;
    // Calls expired(number) at `due`.
    virtual void stage_timer(ScheduledItem& timer, Time due, unsigned number) = 0;
};

class RequestStage {
public:
    virtual ~RequestStage() = default;
    // What the module behind `port` can hold. Before time starts.
    virtual void set_space(unsigned port, const BufferSpace& space) = 0;
    // Takes the line, which came by `input` and has its way back written: it goes on by the host. False: no business of the stage.
    virtual bool take(Line& line, unsigned input, const RouteTable& routes, Time now) = 0;
    virtual void expired(unsigned number, Time now) = 0;

    virtual void add_statistics(std::vector<Statistic>& out) const = 0;
    virtual void reset_statistics() = 0;
};

}  // namespace weft
