// Adds the steps of one thread of a schedule to a program, and what it takes to keep their order.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/units/program.h"

namespace weft {

// Address ranges that are still being read or written.
class OpenRanges {
public:
    void add(const std::vector<std::uint64_t>& addresses, std::uint64_t bytes)
    {
        for (const std::uint64_t address : addresses) ranges_.push_back({address, address + bytes});
    }
    bool meets(const std::vector<std::uint64_t>& addresses, std::uint64_t bytes) const
    {
        for (const std::uint64_t address : addresses)
            for (const Range& range : ranges_)
                if (address < range.end && range.begin < address + bytes) return true;
        return false;
    }
    void take(OpenRanges& from)
    {
        ranges_.insert(ranges_.end(), from.ranges_.begin(), from.ranges_.end());
        from.ranges_.clear();
    }
    void clear() { ranges_.clear(); }
    bool empty() const { return ranges_.empty(); }

private:
    struct Range {
        std::uint64_t begin;
        std::uint64_t end;
    };
    std::vector<Range> ranges_;
};

// Sources and destinations are what is read and written, at every rank. What a switch does for a group is issued at the
// group's address in their place.
struct MoveStep {
    std::vector<std::uint64_t> sources;
    std::vector<std::uint64_t> destinations;
    std::uint64_t bytes = 0;
    ElementType type = ElementType::u8;
    ReduceOp reduction = ReduceOp::sum;
    std::uint32_t label = 0;
    bool with_previous = false;
    std::uint8_t turn = 0;  // Operation::turn
    // With packets among the operands, which need no order: all operands here, and above those that are in memory.
    bool packets = false;
    bool fenced = false;  // begins with a fence
    std::vector<MoveOperand> packet_sources;
    std::vector<MoveOperand> packet_destinations;
    std::uint64_t group_source = 0;  // 0: none
    std::uint64_t group_destination = 0;
    bool pushes = false;  // to the latter: a contribution

    bool in_switch() const { return (group_source | group_destination) != 0; }
    void add_to(Program& program) const;
};

class StepOrder {
public:
    virtual ~StepOrder() = default;
    virtual void move(const MoveStep& step) = 0;
    virtual void signal(std::uint64_t flag, std::uint32_t label) = 0;
    virtual void wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label) = 0;
    // Until what others have been asked for is performed.
    virtual void flush(std::uint32_t) {}
};

// For a workgroup, whose wavefronts go ahead by themselves. Adds barriers and fences behind a wait, which only wavefront
// zero does; before a signal, which stands for the stores of all; and before a move that touches what moves since the
// last barrier have written, or writes what they read. With `bulk`, moves of one source are bulk copies: wavefront zero
// hands them over, and waits for them before a signal and before a move that touches what they do.
// Where packets have moved, a barrier comes before a wait: a workgroup whose wavefront zero waits for a flag is taken for
// one that cannot change anything.
class WorkgroupOrder : public StepOrder {
public:
    WorkgroupOrder(Program& program, bool bulk) : program_(program), bulk_(bulk) {}

    void move(const MoveStep& step) override;
    void signal(std::uint64_t flag, std::uint32_t label) override;
    void wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label) override;
    // Asks for `operations` of the workgroup's list, behind everything so far.
    void request(std::uint64_t operations, std::uint32_t label);

private:
    bool depends(const MoveStep& step) const;
    bool meets_bulk(const MoveStep& step) const;
    void bulk_copy(const MoveStep& step);
    void wait_for_bulk(std::uint32_t label);
    void barrier(std::uint32_t label);
    // Wavefront zero has seen the stores so far performed; the others know at the next barrier.
    void publish() { published_.take(written_); }

    Program& program_;
    bool bulk_;
    bool waited_ = false;
    bool moved_ = false;
    bool packets_ = false;  // since the last barrier
    OpenRanges read_;
    OpenRanges written_;    // not known to be performed
    OpenRanges published_;  // known to wavefront zero
    OpenRanges bulk_read_;
    OpenRanges bulk_written_;
};

// For a command list of a copy engine, which takes its descriptors in order but has many lines in flight: a fence comes
// before a copy that touches what earlier ones write, or writes what they read.
class ListOrder : public StepOrder {
public:
    explicit ListOrder(Program& program) : program_(program) {}

    void move(const MoveStep& step) override;
    void signal(std::uint64_t flag, std::uint32_t label) override;
    void wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label) override;

private:
    Program& program_;
    OpenRanges read_;
    OpenRanges written_;
};

}  // namespace weft
