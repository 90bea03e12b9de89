// How requests of compute units leave for the on-die network, and how responses come in from there.
//
// Owns: the units' ports on the network, the choice of paths, the count of requests. Called by: whatever issues a request;
// ComputeUnits, when a response arrives.
//
// Timing: that of the ports (die_ports.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/units/compute_unit.h"
#include "gpu/network/die_ports.h"
#include "gpu/network/line_tag.h"
#include "gpu/network/path_chooser.h"
#include "gpu/units/unit_scheduler.h"
#include "gpu/units/workgroup_log.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class UnitNetwork {
public:
    UnitNetwork(LineInitiatorSocket& memory, LinePool& pool, UnitScheduler& scheduler, WorkgroupLog& log,
        std::uint32_t endpoint, const PathChooser& paths)
        : memory_(memory), pool_(pool), scheduler_(scheduler), log_(log), endpoint_(endpoint), paths_(paths)
    {
    }

    void set_ports(UnitPorts ports)
    {
        ports_ = std::move(ports);
        admits_ = ports_.admits();
    }
    UnitPorts& ports() { return ports_; }

    Line& take() { return pool_.take(); }
    void give(Line& line) { pool_.give(line); }

    bool is_near(const Line& line) const { return line.destination == endpoint_; }

    // A request of a wavefront leaves `delay` from now.
    void send(const LineIssue& issue, ComputeUnit& unit, Time delay)
    {
        paths_.route(issue);
        if (log_.on()) log_.trace(issue, unit, delay);
        count(unit, issue.line().lines());
        leave(issue, unit, delay);
    }
    // The same that something on the unit answers itself: nothing leaves.
    Line& keep(const LineIssue& issue, ComputeUnit& unit)
    {
        count(unit);
        return issue.source(endpoint_);
    }
    // A request of the unit itself, which no wavefront waits for.
    void fetch(const LineIssue& issue, ComputeUnit& unit, Time delay)
    {
        paths_.route(issue);
        leave(issue, unit, delay);
    }

    // Whether the response, of a wide transaction its last line, is through the network. If not, it comes again.
    bool try_arrive(Line& line)
    {
        if (!admits_ && !line.wide()) return true;
        auto stage = static_cast<DieStage>(line.kind);
        if (stage == DieStage::through) return true;
        const Time now = scheduler_.now();
        Time start = ports_.arrive(line, unit_of_tag(line.tag), is_near(line), stage, now);
        if (line.wide() && stage == DieStage::through)
            start += std::max<Time>(line.tail, ports_.in.tail_of(line, LineClass::response));
        if (start == now) return true;
        scheduler_.at(start, line, static_cast<UnitItem>(stage));
        return false;
    }

    std::uint64_t requests() const { return requests_; }
    void reset_statistics() { requests_ = 0; }

private:
    void count(ComputeUnit& unit, std::uint32_t lines = 1)
    {
        unit.in_flight().add(scheduler_.now(), lines);
        requests_ += lines;
    }
    void leave(Line& line, ComputeUnit& unit, Time delay)
    {
        if (line.wide()) line.tail = std::max(line.tail, ports_.out.tail_of(line, LineClass::request));
        memory_.send_request(line, ports_.set_out(unit.number(), line, scheduler_.now(), delay));
    }

    LineInitiatorSocket& memory_;
    LinePool& pool_;
    UnitScheduler& scheduler_;
    WorkgroupLog& log_;
    std::uint32_t endpoint_;
    bool admits_ = false;  // responses may have to wait at a port
    std::uint64_t requests_ = 0;
    UnitPorts ports_;
    PathChooser paths_;
};

}  // namespace weft
