// The state of the jobs and memory accesses that a LineExecutor executes.
#pragma once

#include "collectives/engine/lines/job_room.h"
#include "collectives/engine/lines/line_executor.h"

namespace weft {

struct LineExecutor::Part : ScheduledItem {
    std::uint32_t index = 0;   // in parts_
    bool open = false;         // begun and not done
    bool timer = false;        // no workgroups: done when due
    bool ended = false;        // in turns: its last workgroup has ended, what follows from it is due
    std::uint64_t number = 0;  // in turns: in order of scheduling
    std::uint32_t endpoint = 0;
    std::uint32_t remaining = 0;  // workgroups and lists
    std::vector<Program> programs;
    std::vector<std::uint32_t> threads;  // of a job: by program
    std::vector<Program> lists;          // of copy engines
    std::vector<std::uint32_t> list_threads;
    Done done;
    bool of_job = false;
    JobId job = 0;
    std::uint32_t position = 0;
    Picoseconds entered = 0;
    std::uint32_t wavefronts = 0;  // of a workgroup, and instructions in flight of each; 0: those of EngineSpec
    std::uint32_t unroll = 0;
    std::uint64_t address = 0;  // memory access, kernel: its buffer
    std::uint64_t bytes = 0;

    bool background() const { return wavefronts > 0; }
};

// The executor's turns in one part of a run, last among all components of an instant as the executor's own are.
class LineExecutor::Station final : public TimedComponent {
public:
    Station(EventQueue& event_queue, const std::string& path, LineExecutor& executor)
        : TimedComponent(event_queue, path), executor_(executor)
    {
    }
    const EventQueue& queue() const { return event_queue(); }

private:
    void run(ScheduledItem& item) override { executor_.run(item); }

    LineExecutor& executor_;
};

struct LineExecutor::Running {
    Job job;
    JobId id = 0;
    EngineSpec engine;
    bool ports = false;  // steps go through port channels
    std::unique_ptr<Layout> layout;
    std::vector<RankAddresses> addresses;
    SwitchUse in_switch;
    std::vector<std::uint32_t> endpoints;  // with steps in switches: ascending
    std::vector<std::uint32_t> flags;      // by rank: number
    std::unique_ptr<PacketSlots> packets;
    std::unique_ptr<SignalFlags> at_signallers;  // null: flags of signals lie at the rank that waits
    std::uint32_t entered = 0;
    std::uint32_t left = 0;
    Picoseconds last_left = 0;

    Mover mover() const { return ports ? Mover::port : engine.mover; }
    JobMemory memory() const { return {*job.schedule, *layout, *packets}; }
};

}  // namespace weft
