// The ends of the on-die network: how many bytes a compute unit, an L2 slice and a fabric port take and give.
//
// Requests and answers are separate networks. A line takes header + data: those of a write or an atomic are in the
// request, those of a read or a fetch in the answer; with no header, the others cost nothing.
//
// Timing: cut through: an end adds time to a line only when it is busy with lines before it. A way with one source in
// order (out of a unit, in from a link) is booked when the line sets out. All others are booked in the order in which
// lines arrive, when they do: the way out of a slice too, as all that it sends to units (or to ports) takes the same
// time; what it sends to units and to ports does not meet. There a line that comes while one passes goes on at once as
// the next, and one that finds another waiting comes again when it is its turn (RateServers::admit).
#pragma once

#include <array>
#include <vector>

#include "base/statistic.h"
#include "gpu/network_spec.h"
#include "tlm_interconnect/link/packetiser.h"
#include "tlm_interconnect/kernel/rate_servers.h"

namespace weft {

class NetworkEnds {
public:
    NetworkEnds(const NetworkSpec& spec, std::size_t units, std::size_t slices, std::size_t ports);

    std::uint32_t bytes_of(const LineHeader& line, LineClass cls) const
    {
        return header_ + payload_bytes(line.op, line.size, cls);
    }
    std::uint32_t header() const { return header_; }

    // Whether answers leave their slice where they arrive: its number is their note.
    bool slices_noted() const { return slices_noted_; }

    // Where a line that arrives is: still to leave its slice, to enter where it goes, or through.
    enum class Stage : std::uint8_t { leaving, entering, through };

    // When a line that arrives at `now` may go on: now, or then, from the stage that it will be at.
    Time answer_at_unit(Line& line, std::size_t unit, bool of_slice, Stage& stage, Time now)
    {
        const std::uint32_t bytes = bytes_of(line, LineClass::response);
        if (bytes == 0) return now;
        if (stage == Stage::leaving && of_slice && slices_noted_) {
            const Time start = leave_slice(slice_to_units, line.note(), now, bytes);
            if (start > now) {
                stage = Stage::entering;
                return start;
            }
        }
        stage = Stage::through;
        return unit_in.limited() ? unit_in.admit(unit, now, bytes) : now;
    }
    Time line_at_port(Line& line, std::size_t port, LineClass cls, Stage& stage, Time now);
    Time leave_slice(RateServers& ways, std::size_t slice, Time at, std::uint32_t bytes)
    {
        return slice < ways.size() ? ways.admit(slice, at, bytes) : at;  // beyond: the memory side, without a limit here
    }

    void note_slices(bool on) { slices_noted_ = on && slice_to_units.limited(); }
    bool limits_sources() const { return unit_out.limited() || port_in[0].limited(); }
    bool limits_units() const { return slices_noted_ || unit_in.limited(); }
    bool limits_ports() const { return slices_noted_ || port_out[0].limited(); }

    std::vector<Statistic> statistics() const;
    void reset_statistics();

    RateServers unit_out;
    RateServers unit_in;
    RateServers slice_in;
    RateServers slice_to_units;
    RateServers slice_to_ports;
    std::array<RateServers, line_classes> port_in;   // from the link
    std::array<RateServers, line_classes> port_out;  // to the link

private:
    std::uint32_t header_;
    bool slices_noted_;
};

// What reports show of resources: bytes over all, time of the busiest. Nothing where there is no limit.
void add_load(const std::string& name, const std::vector<const RateServers*>& places, std::vector<Statistic>& out);

}  // namespace weft
