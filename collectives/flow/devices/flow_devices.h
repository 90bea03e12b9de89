// Compute units, caches and memories of all accelerators at flow fidelity: kernels run on them, and collectives meet these and each other
// there. Rules and limits: docs/models/flow.md, "Kernels and collectives".
//
// A kernel's workgroups are carried out one by one, a quarter of what their registers hold at a time; of collectives the core asks how
// long their lines wait.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/flow/devices/block_cache.h"
#include "collectives/flow/devices/device_cost.h"
#include "collectives/flow/devices/device_units.h"
#include "collectives/flow/devices/flow_held.h"
#include "collectives/flow/devices/flow_kernel.h"
#include "collectives/flow/devices/memory_clock.h"
#include "collectives/flow/devices/stores_in_flight.h"

namespace weft {

class FlowDevices {
public:
    using Ps = std::uint64_t;
    using Done = std::function<void()>;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // `kind_of` by endpoint. `push`: event() is to be called with this number at that time. `start`: the thread has its unit.
    // `held` is told of the places of kernels, and outlives the object; null: nobody is.
    FlowDevices(std::vector<DeviceCost> kinds, const std::vector<std::uint16_t>& kind_of,
        std::function<void(Ps, std::uint32_t)> push, std::function<void(std::uint32_t)> start,
        FlowHeld* held = nullptr);

    // All its workgroups begin at `time`.
    void run(std::uint32_t endpoint, std::shared_ptr<const FlowKernel> kernel, Ps time, Done done);
    // Events that are to come.
    std::size_t pending() const { return events_.size() - free_events_.size(); }
    void event(std::uint32_t number, Ps now);
    // Kernels have ended on an endpoint, and run there.
    std::uint32_t running(std::uint32_t endpoint) const { return devices_[endpoint].running; }

    // A thread of a collective takes room on a unit, and gives it back. False: it waits, until `start`.
    bool enter(std::uint32_t thread, std::uint32_t endpoint);
    // That of the thread; none: it has none.
    std::uint32_t unit_of(std::uint32_t thread) const { return thread < unit_of_.size() ? unit_of_[thread] : none; }
    // The unit of a thread that has ended, for leave(); none: it had none.
    std::uint32_t take_unit(std::uint32_t thread);
    void leave(std::uint32_t unit, std::uint32_t endpoint, Ps now);

    // Delays of what a thread of a collective does now, beyond what it takes alone.
    struct Delay {
        Ps first = 0;
        Ps last = 0;
    };
    // The unit of the thread issues so many bytes. `round_ps`: how long they are in flight; 0: hold() and let_go() tell.
    Delay issue(std::uint32_t thread, std::uint32_t endpoint, double bytes, Ps round_ps, Ps now);
    // A thread's stores at peers are in flight from hold() on, until the time that let_go() gives. `requests`: how many the thread issues
    // for each of these lines, loads included.
    void hold(std::uint32_t thread, std::uint32_t endpoint, double bytes, double requests);
    void let_go(std::uint32_t thread, std::uint32_t endpoint, double bytes, Ps until);
    // The memory of an endpoint is read or written, so many bytes. `cold`: its L2 lacks them.
    Delay access(std::uint32_t endpoint, double bytes, bool cold, Ps now);
    // The memory alone is read: how long until it has served all of them.
    Ps read(std::uint32_t endpoint, double bytes, Ps now);
    // When what is stored at `end` without waiting comes to the L2, and is to be booked there; 0: no kernel runs.
    Ps come_ps(std::uint32_t endpoint, Ps end) const
    {
        const Device& device = devices_[endpoint];
        const Ps before = device.cost->cache_ps + device.cost->to_cache_ps;
        return device.running == 0 || end < before ? 0 : end - before;
    }
    // For how long what comes from peers is held in front of the L2, where kernels make it wait; 0: it does not wait.
    Ps held_behind(std::uint32_t endpoint, Ps now) const
    {
        const Device& device = devices_[endpoint];
        const Ps wait = device.running == 0 ? 0 : device.clock.mean_wait(now + device.cost->to_cache_ps);
        return wait == 0 ? 0 : wait + device.cost->port_to_cache_ps;
    }
    // A flag of the endpoint is polled: by how much the period is longer.
    Ps poll(std::uint32_t thread, std::uint32_t endpoint, Ps now);

private:
    struct Stream {  // wavefront zero of a workgroup, or the others
        std::uint32_t step = 0;
        unsigned which = 0;           // block of the step
        std::uint32_t left = 0;       // lines of the block that are not issued
        std::uint32_t issued = 0;     // lines of it so far
        std::uint32_t in_flight = 0;  // lines
        std::uint32_t wavefronts = 0;
        std::uint32_t window = 0;  // lines that its registers hold
        bool loading = false;
        bool waits = false;  // in the queue of its unit
        // Of the present part of its block: whether it is in the L1, and since when in the L2; 0: it was not there.
        bool by_l1 = false;
        Ps there = 0;
        FlowKernel::Block block;
    };
    struct Group {
        std::uint32_t kernel = 0;
        std::uint32_t number = 0;
        std::uint32_t endpoint = 0;
        std::uint32_t unit = 0;
        bool storing = false;
        bool others_over = false;
        bool zero_over = false;
        Stream streams[2];  // zero, others
    };
    struct Run {
        std::shared_ptr<const FlowKernel> kernel;
        std::uint32_t endpoint = 0;
        std::uint32_t left = 0;
        Done done;
        std::uint64_t moved = 0;  // lines, that have come to the L2
    };
    enum class Item : std::uint8_t { chunk, math, wake, launch, acknowledge };
    struct Event {
        Item item = Item::chunk;
        std::uint8_t stream = 0;
        std::uint32_t group = 0;  // of a wake: unit; of a launch: kernel
        std::uint32_t lines = 0;
        std::uint32_t endpoint = 0;
        double room = 0;  // in flight, that it gives back
    };
    struct Device {
        const DeviceCost* cost = nullptr;
        MemoryClock clock;
        BlockCache cache;
        DeviceUnits units;
        std::vector<BlockCache> l1;
        std::uint32_t running = 0;
        std::uint64_t accesses = 0;  // of collectives so far
        StoresInFlight stores;
        std::vector<std::uint32_t> blocked;    // units
        std::vector<std::uint32_t> looked_at;  // of them, now
        Ps looks = StoresInFlight::never;      // for acknowledges next
    };

    // Wavefronts of kernels that a thread's take turns with: those that issue, and those that wait for lines to return; how many of the
    // thread's lines have to wait for that, and how often one returns.
    struct Turns {
        double issuing = 0;
        double waiting = 0;
        double beyond = 0;
        double return_ps = 0;
    };
    static Turns turns_of(const Device& device, std::uint32_t number, double lines, Ps now);
    const FlowKernel& kernel_of(const Group& group) const { return *runs_[group.kernel].kernel; }
    void push(Ps time, const Event& event);
    void launch(std::uint32_t number, Ps now);
    void begin(std::uint64_t who, std::uint32_t unit, Ps now);
    void placed(std::uint64_t who, std::uint32_t unit, Ps now);
    void end(std::uint32_t group, Ps now);
    void load(std::uint32_t group, unsigned stream, std::uint32_t step, Ps now);
    void next_block(Group& group, unsigned stream);
    void store(std::uint32_t group, Ps now);
    void issue(std::uint32_t group, unsigned stream, Ps now);
    // Lines of a part of a block, and those of it that are sent together: fewer where units may have few in flight.
    std::uint32_t lines_of_part(const Group& group, const Stream& of) const;
    std::uint32_t lines_together(const Group& group, const Stream& of) const;
    bool few_places(const Group& group, const Stream& of) const;  // four parts fill them
    unsigned part_of(const Group& group, unsigned stream) const;
    bool begins_part(const Group& group, const Stream& of) const { return of.issued % lines_of_part(group, of) == 0; }
    bool in_l1(Device& device, Group& group, unsigned stream);
    void send_from_l1(Device& device, std::uint32_t group, unsigned stream, Ps now);
    void send(std::uint32_t group, unsigned stream, std::uint32_t lines, Ps now);
    Ps ready(Device& device, Group& group, unsigned stream, std::uint32_t lines, Ps first, Ps last, std::uint64_t at);
    std::uint32_t displaced(const Group& group, std::uint32_t lines);
    void returned(std::uint32_t group, unsigned stream, Ps now);
    void loaded(std::uint32_t group, unsigned stream, Ps now);
    void compute(std::uint32_t group, std::uint32_t step, Ps now);
    void computed(std::uint32_t group, Ps now);
    // Lines of a unit without a response.
    static double in_flight(const Device& device, std::uint32_t unit)
    {
        return device.units.at(unit).in_flight + device.stores.of(unit);
    }
    std::uint32_t room_for(const Device& device, std::uint32_t number, const Group& group, const Stream& of) const;
    bool may_send(const Device& device, std::uint32_t number) const;
    void collect(Device& device, Ps now);
    void await(Device& device, std::uint32_t endpoint, Ps now);
    void acknowledged(Device& device, std::uint32_t endpoint, Ps now);
    void serve(Device& device, std::uint32_t endpoint, std::uint32_t number, Ps now);

    std::vector<DeviceCost> kinds_;
    std::vector<Device> devices_;
    std::function<void(Ps, std::uint32_t)> push_;
    std::function<void(std::uint32_t)> start_;
    FlowHeld* held_;
    std::vector<Run> runs_;
    std::vector<std::uint32_t> free_runs_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> free_groups_;
    std::vector<Event> events_;
    std::vector<std::uint32_t> free_events_;
    std::vector<std::uint32_t> unit_of_;  // of threads; none
};

}  // namespace weft
