// Operands of moves in packets (base/packet_format.h): their loads and stores, and the polling for packets that are missing.
//
// Owns: the count of its polls, and whether it has found that the run cannot progress. Called by: MoveIssue for
// operands in packets, ComputeUnits for responses and for polls that are due.
//
// A program with a format moves in instructions that cover threads x vector bytes of packets, whatever the operand, and meet
// between packets. A load of packets whose response finds some missing is issued again `spin_interval` later, at the next
// free issue slot; meanwhile it is not in flight. Stores of packets are stores: nothing but their flags shows that they are there.
#pragma once

#include "gpu/units/cached_access.h"
#include "gpu/units/compute_unit.h"
#include "gpu/units/progress.h"
#include "gpu/units/unit_network.h"
#include "gpu/units/unit_scheduler.h"
#include "sc_models/memory/memory_image.h"

namespace weft {

class PacketMoves {
public:
    PacketMoves(const GpuSpec& spec, bool data_on, UnitScheduler& scheduler, UnitNetwork& network, Progress& progress,
        WorkgroupLog& log)
        : spin_interval_(spec.spin_interval), data_on_(data_on), scheduler_(scheduler), network_(network),
          progress_(progress), log_(log)
    {
    }

    // Where packets arrive. Needed before a program has some.
    void set_image(const MemoryImage& image) { image_ = &image; }

    void issue_loads(ComputeUnit& unit, Wavefront& wave);
    void issue_stores(ComputeUnit& unit, Wavefront& wave);
    // The response to a load, whose set is at `place`. True when its instruction has all of its data.
    bool loaded(ComputeUnit& unit, Wavefront& wave, unsigned place, Line& line);
    // A load that has found packets missing is due again.
    void poll(Line& line, ComputeUnit& unit);

    // Address of packets that the wavefront waits for and that are not there, 0 if there are none.
    std::uint64_t missing(const Wavefront& wave) const;

    bool cannot_progress() const { return cannot_progress_; }
    std::uint64_t polls() const { return polls_; }
    void reset_statistics() { polls_ = 0; }

private:
    bool only_lacks_packets(const Workgroup& group) const;
    void found_missing(Workgroup& group);
    void give_up();
    void poll_later(Line& line);

    Time spin_interval_;
    bool data_on_;
    bool cannot_progress_ = false;
    const MemoryImage* image_ = nullptr;
    UnitScheduler& scheduler_;
    UnitNetwork& network_;
    Progress& progress_;
    WorkgroupLog& log_;
    std::uint64_t polls_ = 0;
};

}  // namespace weft
