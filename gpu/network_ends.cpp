#include "gpu/network_ends.h"

#include <algorithm>

#include "gpu/gpu_statistics.h"

namespace weft {

NetworkEnds::NetworkEnds(const NetworkSpec& spec, std::size_t units, std::size_t slices, std::size_t ports)
    : header_(static_cast<std::uint32_t>(spec.header))
{
    const std::uint32_t line = line_bytes + header_;
    unit_out = RateServers(units, spec.unit_rate, line);
    unit_in = unit_out;
    slice_in = RateServers(slices, spec.slice_rate, line);
    slice_to_units = slice_in;
    slice_to_ports = slice_in;
    port_in.fill(RateServers(ports, spec.port_rate, line));
    port_out = port_in;
    note_slices(true);
}

Time NetworkEnds::line_at_port(Line& line, std::size_t port, LineClass cls, Stage& stage, Time now)
{
    const std::uint32_t bytes = bytes_of(line, cls);
    if (bytes == 0) return now;
    if (cls == LineClass::response && stage == Stage::leaving && slices_noted_) {
        const Time start = leave_slice(slice_to_ports, line.note(), now, bytes);
        if (start > now) {
            stage = Stage::entering;
            return start;
        }
    }
    stage = Stage::through;
    RateServers& ways = port_out[static_cast<unsigned>(cls)];
    return ways.limited() ? ways.admit(port, now, bytes) : now;
}

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

std::vector<Statistic> NetworkEnds::statistics() const
{
    std::vector<Statistic> out;
    add_load("unit_out", {&unit_out}, out);
    add_load("unit_in", {&unit_in}, out);
    add_load("slice_in", {&slice_in}, out);
    add_load("slice_out", {&slice_to_units, &slice_to_ports}, out);
    add_load("port_out", {&port_out[0], &port_out[1]}, out);
    add_load("port_in", {&port_in[0], &port_in[1]}, out);
    return out;
}

void NetworkEnds::reset_statistics()
{
    for (RateServers* ways : {&unit_out, &unit_in, &slice_in, &slice_to_units, &slice_to_ports, &port_in[0],
             &port_in[1], &port_out[0], &port_out[1]})
        ways->reset_statistics();
}

}  // namespace weft
