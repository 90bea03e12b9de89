// The in-fabric reduction unit, to the clock (weft_group_unit.sv is the block).
//
// Timing rule. A response is taken in the clock c in which it comes; a request waits in a slot from clock c + 1 on. In a
// clock without a response one request is taken: the oldest of the contributions whose context (group, address) is
// open, else the oldest that a context may be opened for: a free one, and for contributions only if another is left
// that does not wait for contributions (unless there is but one). The credit of what was taken is given in the next clock.
//
//   taken in clock t                                    ready for the output from clock
//   multicast, load_reduce                              t + 1 (write, read of all members)
//   last contribution of m                              t + m + 1 (write of the sum to all members), adder idle
//   last operand of m of a load_reduce                  t + m + 1 (answer), adder idle
//   last acknowledgement                                t + 1 (answers, one a clock)
//
// The adder combines one operand a clock, one context after the other, in the order in which they were completed. What
// is ready waits in five queues (reads, multicasts, sums, answers to acknowledged operations, results); each clock one
// line leaves: of the first queue, in turn after the last served, whose channel is ready. A context is free in the
// clock after its last line has left.
#pragma once

#include <cstdint>
#include <vector>

#include "base/element.h"
#include "rtl/common/clocked_block.h"
#include "rtl/reduction/reduction_pins.h"

namespace weft {

class ReferenceReduction : public ClockedBlock<ReductionIn, ReductionOut> {
public:
    // Throws InputError.
    explicit ReferenceReduction(const ReductionParameters& parameters);

    void reset() override;
    void cycle(const ReductionIn& in, ReductionOut& out) override;
    bool idle() const override { return idle_; }

    unsigned contexts_in_use() const;

protected:
    unsigned turn_ = 0;  // of the queues, which is asked first

private:
    enum Queue : unsigned { reads, casts, sums, acknowledged, results, queues };

    struct Group {
        std::vector<std::uint16_t> endpoints;
        std::uint64_t ports = 0;
        ElementType type = ElementType::int32;
        ReduceOp op = ReduceOp::sum;
    };
    struct Asker {
        std::uint16_t source = 0;
        std::uint8_t flags = 0;
        std::uint8_t port = 0;
        std::uint32_t tag = 0;
    };
    struct Operand {
        alignas(64) std::uint8_t bytes[64];
    };
    struct Context {
        std::uint64_t place = 0;  // destination and address
        unsigned op = 0;
        std::uint16_t group = 0;
        std::uint8_t size = 0;
        bool collecting = false;
        bool posted = false;
        bool failed = false;
        unsigned pending = 0;
    };
    struct Slot {
        LineBits line;
        std::uint8_t port = 0;
        bool joins = false;
        std::uint8_t context = 0;
    };
    // Numbers of contexts, first in, first out.
    class Ring {
    public:
        void clear() { count_ = 0; }
        bool empty() const { return count_ == 0; }
        unsigned front() const { return numbers_[first_]; }
        void push(unsigned number) { numbers_[(first_ + count_++) % 64] = static_cast<std::uint8_t>(number); }
        void pop()
        {
            first_ = (first_ + 1) % 64;
            --count_;
        }

    private:
        std::uint8_t numbers_[64] = {};
        unsigned first_ = 0;
        unsigned count_ = 0;
    };

    void send(std::uint32_t out_ready, ReductionOut& out);
    void describe(Queue queue, unsigned index, LineBits& line) const;
    void take_response(const ReductionIn& in);
    void take_request();
    void contribute(unsigned index, const Slot& slot, bool opens);
    void complete(unsigned index);
    void keep(const ReductionIn& in);
    void combine();
    void configure(const ReductionIn& in);
    unsigned member_of(const Group& group, std::uint16_t endpoint) const;
    std::uint8_t* operand(unsigned index, unsigned member)
    {
        return operands_[index * parameters_.members + member].bytes;
    }
    const std::uint8_t* operand(unsigned index, unsigned member) const
    {
        return operands_[index * parameters_.members + member].bytes;
    }

    ReductionParameters parameters_;
    std::uint32_t queue_channel_[queues];
    std::vector<Group> groups_;
    std::vector<Context> contexts_;
    std::vector<Asker> askers_;      // by context and member
    std::vector<Operand> operands_;  // the same
    std::vector<Operand> results_;   // by context
    std::vector<Slot> slots_;
    std::vector<std::uint8_t> order_;  // slots in use, the oldest first
    std::vector<std::uint8_t> free_slots_;
    unsigned joining_ = 0;     // slots whose contribution may go
    unsigned collecting_ = 0;  // contexts that wait for contributions
    std::uint64_t free_ = 0;   // contexts
    std::uint64_t freed_ = 0;  // in this clock
    Ring queue_[queues];
    unsigned waiting_ = 0;  // queues with a head, by bit
    unsigned answered_ = 0;
    Ring adder_;
    std::uint64_t now_ = 0;
    std::uint64_t adder_done_ = 0;  // clock of the last operand of its head
    std::uint32_t credit_ = 0;
    bool idle_ = true;
};

}  // namespace weft
