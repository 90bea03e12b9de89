// A log of the operations of workgroups with their times: one record for every operation of the wavefront zero of
// those that are launched with a
// number of this log. Made for timelines and critical paths; a run without one pays nothing.
//
// A record reaches from the start of its operation to the start of the next; moves that follow `with_previous` belong to
// the move before them, waits that are polled together to the first of them. The last one of a workgroup reaches from the end of its program to its own end, when all
// is acknowledged.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/units/wavefront.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Lives of lines, summed: ps. `other` is what is left: paths on the die, switches.
struct LineLives {
    std::uint64_t lines = 0;
    Time serialisation = 0;  // behind other lines at ports, and on wires
    Time credits = 0;
    Time flight = 0;  // latency of links
    Time memory = 0;  // from the arrival at a cache slice to its response
    Time other = 0;

    void add(const LatencyBreakdown& breakdown, Time end);
    Time total() const { return serialisation + credits + flight + memory + other; }
};

struct OperationRecord {
    std::uint32_t work = 0;       // number of the workgroup
    std::uint32_t operation = 0;  // index in its program; of the last record, one past the end
    std::uint32_t label = 0;
    Operation::Kind kind = Operation::Kind::fence;
    Time begin = 0;
    Time end = 0;
    std::uint64_t address = 0;               // signal, wait: the flag
    std::uint64_t value = 0;                 // wait: wanted
    std::uint32_t first_lane = 0;            // wait of several flags: in OperationLog::lanes()
    std::uint32_t lanes = 0;                 // 0: one flag
    std::array<Time, stall_causes> spent{};  // begin to end, by what wavefront zero waited for
    LineLives lives;                         // of lines of the workgroup whose responses came meanwhile
    Time engine = 0;             // for which its bulk copies waited for the start or the rate of their engine
    LatencyBreakdown breakdown;  // signal: of its line, once it has its response; start is when it left
    bool unfinished = false;     // the run ended meanwhile, at `end`
};

// One of the flags of a wait.
struct WaitLane {
    std::uint64_t address = 0;
    std::uint64_t value = 0;  // wanted
    std::uint32_t label = 0;
};

// A line of packets that a wavefront stored, and how it went there.
struct PacketStore {
    std::uint64_t line = 0;  // its address / 64
    std::uint32_t work = 0;
    std::uint32_t wavefront = 0;  // number in its workgroup
    Time left = 0;
    Time home = 0;           // there
    Time serialisation = 0;  // on the way
    Time credits = 0;
};

// A line of packets that a wavefront has found missing at first, and seen at `seen`.
struct PacketLook {
    std::uint64_t line = 0;
    std::uint32_t work = 0;
    std::uint32_t wavefront = 0;
    Time seen = 0;
};

class OperationLog {
public:
    // Of the next workgroup, from 1 on; 0 stands for none.
    std::uint32_t open() { return ++works_; }
    std::uint32_t works() const { return works_; }

    std::uint32_t add(const OperationRecord& record)
    {
        records_.push_back(record);
        return static_cast<std::uint32_t>(records_.size());
    }
    // The signal of record `number`, from 1 on, has its response.
    void answered(const LatencyBreakdown& breakdown)
    {
        if (breakdown.record > 0) records_[breakdown.record - 1].breakdown = breakdown;
    }
    const std::vector<OperationRecord>& records() const { return records_; }

    // Takes over what logs of other parts of a run have; `first(a, b)`: of records that ended at one time, those of workgroup a came before
    // those of b. Records that are unfinished come last, in the order of the numbers of their workgroups.
    void absorb(const std::vector<OperationLog>& others,
        const std::function<bool(std::uint32_t a, std::uint32_t b)>& first);

    // All that is logged, for a log in another process.
    struct Entries {
        std::vector<OperationRecord> records;
        std::vector<WaitLane> lanes;
        std::vector<PacketStore> stores;
        std::vector<PacketLook> looks;
    };
    static OperationLog of(Entries entries);

    // Keeps a flag of a wait of several: its number.
    std::uint32_t add_lane(const WaitLane& lane)
    {
        lanes_.push_back(lane);
        return static_cast<std::uint32_t>(lanes_.size() - 1);
    }
    const std::vector<WaitLane>& lanes() const { return lanes_; }

    // Packets stored, when they are acknowledged, and seen late, in the order of time. Beyond `most_packets` no more are kept.
    static constexpr std::size_t most_packets = std::size_t{1} << 23;
    void stored(const PacketStore& store)
    {
        if (stores_.size() < most_packets) stores_.push_back(store);
    }
    void seen(const PacketLook& look)
    {
        if (looks_.size() < most_packets) looks_.push_back(look);
    }
    const std::vector<PacketStore>& stores() const { return stores_; }
    const std::vector<PacketLook>& looks() const { return looks_; }

private:
    void order_unfinished();

    std::uint32_t works_ = 0;
    std::vector<OperationRecord> records_;  // in the order in which they ended
    std::vector<WaitLane> lanes_;
    std::vector<PacketStore> stores_;
    std::vector<PacketLook> looks_;
};

}  // namespace weft
