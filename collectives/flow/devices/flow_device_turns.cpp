// FlowDevices: lines of kernels that wait for an issue slot or for a place among the lines in flight of their unit.
#include <algorithm>

#include "collectives/flow/devices/flow_devices.h"

namespace weft {

// How many of the lines that a stream sends next have room below the limit: all of them, to a half. If the limit is of few lines, as many
// as there are places, so that no more are in flight (Little's law).
std::uint32_t FlowDevices::room_for(const Device& device, std::uint32_t number, const Group& group,
    const Stream& of) const
{
    const std::uint32_t lines = lines_together(group, of);
    const double places = device.cost->outstanding - in_flight(device, number);
    if (!few_places(group, of)) return places >= lines / 2.0 ? lines : 0;
    return places < std::max(0.5, lines / 4.0) ? 0 : std::min(lines, static_cast<std::uint32_t>(places + 0.5));
}

// Whether the first in the queue of a unit has places: room, or turns among what returns.
bool FlowDevices::may_send(const Device& device, std::uint32_t number) const
{
    const DeviceUnit& unit = device.units.at(number);
    const Group& group = groups_[unit.queue.front() >> 1];
    const Stream& of = group.streams[unit.queue.front() & 1];
    return unit.turns >= lines_together(group, of) / 2.0 || room_for(device, number, group, of) > 0;
}

// Those that wait for their turn, in order.
void FlowDevices::serve(Device& device, std::uint32_t endpoint, std::uint32_t number, Ps now)
{
    DeviceUnit& unit = device.units[number];
    if (unit.serving) return;
    unit.serving = true;
    collect(device, now);
    unit.release_held(*device.cost, device.stores.of(number), now);
    while (!unit.queue.empty() && unit.issue_free <= static_cast<double>(now)) {
        const std::uint32_t group = unit.queue.front() >> 1;
        const unsigned stream = unit.queue.front() & 1;
        Group& at = groups_[group];
        Stream& of = at.streams[stream];
        const std::uint32_t room = room_for(device, number, at, of);
        const std::uint32_t lines = room > 0 ? room : lines_together(at, of);
        if (room == 0 && unit.turns < lines / 2.0) break;
        unit.turns = room > 0 ? 0 : unit.turns - lines;
        unit.queue.pop_front();
        unit.waiting -= of.wavefronts;
        of.waits = false;
        send(group, stream, lines, now);
        issue(group, stream, now);
    }
    unit.serving = false;
    if (unit.queue.empty()) return;
    Ps again = 0;
    if (unit.issue_free > static_cast<double>(now)) {
        again = static_cast<Ps>(unit.issue_free) + 1;
    } else {
        if (!unit.blocked) device.blocked.push_back(number);
        unit.blocked = true;
        await(device, endpoint, now);
        if (!unit.held.empty()) again = unit.held.top().until;
    }
    if (again == 0 || unit.woken) return;
    unit.woken = true;
    push(again, {Item::wake, 0, number, 0, endpoint, 0});
}

// Acknowledges up to now. Units whose kernels wait get their turns.
void FlowDevices::collect(Device& device, Ps now)
{
    device.stores.collect(now, [&device](std::uint32_t number, double lines, double requests) {
        DeviceUnit& unit = device.units[number];
        unit.returned(*device.cost, unit.in_flight + device.stores.of(number), lines * requests);
    });
}

// Somebody waits for the next acknowledge.
void FlowDevices::await(Device& device, std::uint32_t endpoint, Ps now)
{
    const Ps next = device.stores.next();
    if (next >= device.looks) return;
    device.looks = next;
    push(std::max(now, next), {Item::acknowledge, 0, 0, 0, endpoint, 0});
}

void FlowDevices::acknowledged(Device& device, std::uint32_t endpoint, Ps now)
{
    if (device.looks <= now) device.looks = StoresInFlight::never;
    collect(device, now);
    device.looked_at.swap(device.blocked);
    for (const std::uint32_t number : device.looked_at) {
        DeviceUnit& unit = device.units[number];
        unit.blocked = !unit.queue.empty() && !may_send(device, number);
        if (unit.blocked)
            device.blocked.push_back(number);
        else
            serve(device, endpoint, number, now);
    }
    device.looked_at.clear();
    if (!device.blocked.empty()) await(device, endpoint, now);
}

}  // namespace weft
