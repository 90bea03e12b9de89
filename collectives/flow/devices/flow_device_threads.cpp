// FlowDevices: threads of collectives among kernels.
#include <algorithm>
#include <cmath>

#include "base/line_size.h"
#include "collectives/flow/devices/flow_devices.h"

namespace weft {

namespace {

double lines_of(double bytes) { return std::ceil(bytes / static_cast<double>(line_bytes)); }

// Where lines of a collective lie is not known: anywhere, the same in every run.
std::uint64_t some_line(std::uint64_t number) { return number * 0xd1342543de82ef95U >> 20U; }

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

FlowDevices::Turns FlowDevices::turns_of(const Device& device, std::uint32_t number, double lines, Ps now)
{
    const DeviceCost& cost = *device.cost;
    const DeviceUnit& unit = device.units.at(number);
    Turns out;
    out.issuing = unit.issue_free > static_cast<double>(now) ? unit.issuing : 0;
    out.waiting = unit.waiting;
    // Beyond the limit of lines in flight one can go when one returns.
    out.beyond = std::clamp(lines - (cost.outstanding - in_flight(device, number)), 0.0, lines);
    out.return_ps = std::max(cost.issue_line_ps, static_cast<double>(unit.round_ps) / cost.outstanding);
    return out;
}

// The wavefronts of the thread take turns with those of kernels, a line each. What it would wait for its own lines in flight without a
// kernel is known elsewhere.
FlowDevices::Delay FlowDevices::issue(std::uint32_t thread, std::uint32_t endpoint, double bytes, Ps round_ps, Ps now)
{
    if (thread >= unit_of_.size() || unit_of_[thread] == none || devices_[endpoint].running == 0) return {};
    Device& device = devices_[endpoint];
    const DeviceCost& cost = *device.cost;
    const std::uint32_t number = unit_of_[thread];
    DeviceUnit& unit = device.units[number];
    collect(device, now);
    unit.release_held(cost, device.stores.of(number), now);
    const double lines = lines_of(bytes);
    const Turns turns = turns_of(device, number, lines, now);
    const double wavefronts = std::clamp(std::ceil(lines / cost.instruction_lines), 1.0, 0.0 + cost.thread_wavefronts);
    const double each = lines / wavefronts;
    const double own = device.stores.of(number) + unit.held_lines;
    const double anyway = std::min(turns.beyond, std::max(0.0, lines + own - cost.outstanding));
    const double turn_ps = turns.waiting / wavefronts * turns.return_ps;
    Delay out;
    out.first =
        whole(turns.issuing * cost.issue_line_ps + (turns.beyond < lines ? 0 : turns.waiting * turns.return_ps));
    out.last = std::max(out.first,
        whole(each * turns.issuing * cost.issue_line_ps + turns.beyond * turn_ps +
            (turns.beyond - anyway) * (turns.return_ps - cost.issue_line_ps)));
    unit.issue_free = std::max(unit.issue_free, static_cast<double>(now)) + lines * cost.issue_line_ps;
    if (round_ps > 0) unit.hold(std::min(lines, cost.outstanding), now + out.last + round_ps);
    return out;
}

void FlowDevices::hold(std::uint32_t thread, std::uint32_t endpoint, double bytes, double requests)
{
    if (thread >= unit_of_.size() || unit_of_[thread] == none) return;
    Device& device = devices_[endpoint];
    const double lines = bytes / static_cast<double>(line_bytes);
    // issue() counts the loads of the lines that find a place at once; those of the others follow as places come back.
    const double later = std::max(0.0, 1 - device.cost->outstanding / lines);
    device.stores.hold(unit_of_[thread], lines, 1 + (requests - 1) * later);
}

void FlowDevices::let_go(std::uint32_t thread, std::uint32_t endpoint, double bytes, Ps until)
{
    if (thread >= unit_of_.size() || unit_of_[thread] == none) return;
    Device& device = devices_[endpoint];
    device.stores.acknowledged(bytes / static_cast<double>(line_bytes), until);
    if (!device.blocked.empty()) await(device, endpoint, until);
}

FlowDevices::Delay FlowDevices::access(std::uint32_t endpoint, double bytes, bool cold, Ps now)
{
    Device& device = devices_[endpoint];
    const DeviceCost& cost = *device.cost;
    const double lines = lines_of(bytes);
    if (lines <= 0) return {};
    const Ps come = now + cost.to_cache_ps;
    const MemoryClock::Turn turn =
        device.clock.cache(come, 0, static_cast<std::uint32_t>(lines), some_line(++device.accesses));
    Delay out;
    out.first = turn.first - come;
    out.last = turn.last - come;
    if (!cold) return out;
    const Ps served = device.clock.memory(turn.first + cost.cache_ps, lines);
    out.first = served - cost.cache_ps - come;
    out.last = std::max(out.last, out.first + whole(lines * cost.memory_line_ps));
    return out;
}

FlowDevices::Ps FlowDevices::read(std::uint32_t endpoint, double bytes, Ps now)
{
    Device& device = devices_[endpoint];
    const Ps come = now + device.cost->to_cache_ps + device.cost->cache_ps;
    const double lines = lines_of(bytes);
    return device.clock.memory(come, lines) - come + whole(lines * device.cost->memory_line_ps);
}

FlowDevices::Ps FlowDevices::poll(std::uint32_t thread, std::uint32_t endpoint, Ps now)
{
    const Device& device = devices_[endpoint];
    if (device.running == 0) return 0;
    const DeviceCost& cost = *device.cost;
    Ps out = device.clock.cache_wait(now + cost.to_cache_ps, some_line(thread));
    if (thread >= unit_of_.size() || unit_of_[thread] == none) return out;
    const Turns turns = turns_of(device, unit_of_[thread], 1, now);
    out += whole(turns.issuing * cost.issue_line_ps + turns.beyond * turns.waiting * turns.return_ps);
    return out;
}

}  // namespace weft
