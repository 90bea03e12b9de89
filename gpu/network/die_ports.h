// Ports of a module on the on-die network, in one direction: how many bytes a second each takes or gives. A module owns its own.
//
// Requests and responses are separate networks. A line takes header + data: those of a write or an atomic are in the
// request, those of a read or a fetch in the response; with no header, the others cost nothing. A wide transaction takes what
// its lines take, and begins to pass when its first line does.
//
// Timing: cut through: a port adds time to a line only when it is busy with lines before it. One with a single source in
// order (out of a unit, in from a link) is booked when the line sets out. All others are booked in the order in which
// lines arrive, when they do: the exit of a slice too, as all that it sends to units (or to fabric ports) takes the same
// time; what it sends to units and to fabric ports does not meet. There a line that comes while one passes goes on at once as
// the next, and one that finds another waiting comes again when it is its turn (RateServers::admit).
#pragma once

#include <cstdint>

#include "tlm_interconnect/kernel/rate_servers.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

class DiePorts {
public:
    DiePorts() = default;  // without a limit
    DiePorts(std::size_t places, std::uint64_t rate, std::uint32_t header)
        : servers_(places, rate, line_bytes + header), header_(header)
    {
    }

    bool limited() const { return servers_.limited(); }

    // When a line that sets out at `at` begins to pass.
    Time book(std::size_t place, const LineHeader& line, LineClass cls, Time at)
    {
        if (!servers_.limited()) return at;
        const std::uint32_t bytes = bytes_of(line, cls);
        return bytes == 0 ? at : servers_.book(place, at, bytes);
    }
    // When a line that arrives now goes on: now, or it comes again then. Places beyond the last have no limit.
    Time admit(std::size_t place, const LineHeader& line, LineClass cls, Time now)
    {
        if (place >= servers_.size()) return now;
        const std::uint32_t bytes = bytes_of(line, cls);
        return bytes == 0 ? now : servers_.admit(place, now, bytes);
    }

    // How much later the last line of a wide transaction passes than the first one, ps.
    std::uint32_t tail_of(const LineHeader& line, LineClass cls) const
    {
        if (!servers_.limited()) return 0;
        return static_cast<std::uint32_t>(servers_.duration(bytes_of(line, cls) / line.lines() * (line.lines() - 1)));
    }

    RateServers& servers() { return servers_; }  // for the account of the network

private:
    std::uint32_t bytes_of(const LineHeader& line, LineClass cls) const
    {
        return header_ * line.lines() + payload_bytes(line.op, line.size, cls);
    }

    RateServers servers_;
    std::uint32_t header_ = 0;
};

// Where a line that arrives is: still to leave its slice, to enter where it goes, or through.
enum class DieStage : std::uint8_t { leaving, entering, through };

// A line at the end of its route over the die: through the exit of its slice, where that is booked at the end (`exits` is none where
// it has been, or is no limit), then in at `place` of `entry`. When it may go on: now, or then, from the stage that it will be at.
inline Time pass(Line& line, LineClass cls, DiePorts* exits, DiePorts& entry, std::size_t place, DieStage& stage,
    Time now)
{
    if (stage == DieStage::leaving && exits != nullptr) {
        const Time start = exits->admit(line.scratch.die.slice, line, cls, now);
        if (start > now) {
            stage = DieStage::entering;
            return start;
        }
    }
    stage = DieStage::through;
    return entry.admit(place, line, cls, now);
}

// Of compute units; the bulk copy engine of a unit goes by its unit's.
struct UnitPorts {
    DiePorts out;
    DiePorts in;
    DiePorts* exits = nullptr;  // of slices, for responses to units

    bool admits() const { return exits != nullptr || in.limited(); }
    // The delay of a request that unit `number` sends.
    Time set_out(std::size_t number, const LineHeader& line, Time now, Time delay)
    {
        return out.book(number, line, LineClass::request, now + delay) - now;
    }
    Time arrive(Line& line, std::size_t number, bool of_slice, DieStage& stage, Time now)
    {
        return pass(line, LineClass::response, of_slice ? exits : nullptr, in, number, stage, now);
    }
};

}  // namespace weft
