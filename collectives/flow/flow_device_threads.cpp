// FlowDevices: threads of collectives among kernels.
#include <algorithm>
#include <cmath>

#include "base/line_size.h"
#include "collectives/flow/flow_devices.h"

namespace weft {

namespace {

double lines_of(double bytes) { return std::ceil(bytes / static_cast<double>(line_bytes)); }

std::uint64_t whole(double time) { return static_cast<std::uint64_t>(std::max(0.0, time)); }

}  // namespace

bool FlowDevices::enter(std::uint32_t thread, std::uint32_t endpoint)
{
    if (unit_of_.size() <= thread) unit_of_.resize(thread + 1, none);
    Device& device = devices_[endpoint];
    unit_of_[thread] = device.units.place(device.cost->thread_wavefronts, thread);
    return unit_of_[thread] != none;
}

std::uint32_t FlowDevices::take_unit(std::uint32_t thread)
{
    if (thread >= unit_of_.size()) return none;
    const std::uint32_t unit = unit_of_[thread];
    unit_of_[thread] = none;
    return unit;
}

void FlowDevices::leave(std::uint32_t unit, std::uint32_t endpoint, Ps now)
{
    devices_[endpoint].units.leave(unit, devices_[endpoint].cost->thread_wavefronts,
        [&](std::uint64_t who, std::uint32_t at) { placed(who, at, now); });
}

// The wavefronts of the thread take turns with those of kernels that wait for room, a line each; a line can go when one returns.
FlowDevices::Delay FlowDevices::issue(std::uint32_t thread, std::uint32_t endpoint, double bytes, Ps round_ps, Ps now)
{
    if (thread >= unit_of_.size() || unit_of_[thread] == none || devices_[endpoint].running == 0) return {};
    const DeviceCost& cost = *devices_[endpoint].cost;
    DeviceUnit& unit = devices_[endpoint].units[unit_of_[thread]];
    unit.release_held(now);
    const double lines = lines_of(bytes);
    Delay out;
    out.first = out.last = whole(unit.issue_free - static_cast<double>(now));
    if (unit.waiting > 0) {
        const double wavefronts = std::clamp(std::ceil(lines / cost.instruction_lines), 1.0, 0.0 + cost.thread_wavefronts);
        const double line_ps = std::max(cost.issue_line_ps, static_cast<double>(unit.round_ps) / cost.outstanding);
        double wanted = 0;
        for (const std::uint32_t stream : unit.queue) {
            const Stream& of = groups_[stream >> 1].streams[stream & 1];
            wanted += of.left;
        }
        const double turn = std::min(wanted, 0.0 + unit.waiting);
        const double ahead = std::min(wanted, lines / wavefronts * unit.waiting);
        out.first = std::max(out.first, whole(turn * line_ps));
        out.last = std::max(out.last, whole((lines + ahead) * line_ps - lines * cost.issue_line_ps));
    }
    unit.issue_free = std::max(unit.issue_free, static_cast<double>(now)) + lines * cost.issue_line_ps;
    unit.hold(lines, now + out.last + round_ps);
    return out;
}

FlowDevices::Delay FlowDevices::access(std::uint32_t endpoint, double bytes, bool cold, Ps now)
{
    Device& device = devices_[endpoint];
    const DeviceCost& cost = *device.cost;
    const double lines = lines_of(bytes);
    const Ps come = now + cost.to_cache_ps;
    const Ps begin = device.clock.cache(come, lines);
    Delay out;
    out.first = begin - come;
    out.last = out.first;
    if (!cold) return out;
    const Ps served = device.clock.memory(begin + cost.cache_ps, lines);
    out.first = served - cost.cache_ps - come;
    out.last = out.first + whole(lines * cost.memory_line_ps);
    return out;
}

FlowDevices::Ps FlowDevices::poll(std::uint32_t thread, std::uint32_t endpoint, Ps now)
{
    const Device& device = devices_[endpoint];
    if (device.running == 0) return 0;
    const DeviceCost& cost = *device.cost;
    Ps out = device.clock.cache_wait(now + cost.to_cache_ps);
    if (thread >= unit_of_.size() || unit_of_[thread] == none) return out;
    const DeviceUnit& unit = devices_[endpoint].units.at(unit_of_[thread]);
    if (unit.waiting > 0)
        out += whole(unit.waiting * std::max(cost.issue_line_ps, static_cast<double>(unit.round_ps) / cost.outstanding));
    return out;
}

}  // namespace weft
