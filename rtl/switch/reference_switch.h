// The switch as a model with the cycles of weft_switch.sv: what a large system runs in its place.
//
// Timing, in clocks: a line that enters in c takes part in the matching from c + latency on; matched in m it
// is on its output in m + traversal, and the slot is given back in m (of a multicast line: in the m of its
// last copy). A credit that arrives in c counts from c + 1 on. `ready` is looked at in m.
//
// Per input and channel a queue for each output and one for multicast lines; with `one_queue` one queue per
// input. Channels take turns at an input from the one behind the channel that sent last, multicast lines for
// themselves.
//
// A clock costs a few operations for each input with waiting lines and each line that moves; a quiet one
// almost none. Memory for lines grows with the largest number that were inside at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl/common/clocked_block.h"
#include "rtl/switch/switch_matching.h"
#include "rtl/switch/switch_pins.h"

namespace weft {

class ReferenceSwitch : public ClockedBlock<SwitchIn, SwitchOut> {
public:
    // Throws InputError.
    explicit ReferenceSwitch(const SwitchBlockParameters& parameters);

    void reset() override;
    void cycle(const SwitchIn& in, SwitchOut& out) override;
    bool idle() const override { return idle_; }
    // A line or a credit against the rules is dropped and said here, in the words of the block's assertion.
    bool failed() const override { return !failure_.empty(); }
    std::string failure() const override { return failure_; }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Entry {
        LineBits data;
        std::uint64_t ports = 0;
        std::uint32_t next = none;  // in its list, or of what is free
        std::uint8_t vc = 0;
        std::uint8_t copies = 0;  // not yet on an output
    };
    struct List {
        std::uint32_t head = none;
        std::uint32_t tail = none;
    };
    struct Input {
        std::uint32_t channels = 0;            // that have lines to one output
        std::uint32_t multicast_channels = 0;  // that have multicast lines; with one queue bit 0
        std::uint8_t turn = 0;                 // channel
        std::uint8_t multicast_turn = 0;
        std::uint8_t offered = 0;  // whose multicast line was offered, as bit of multicast_channels
    };

    bool credits_come(const SwitchIn& in) const;
    void request(std::uint64_t ready);
    void send(unsigned number, SwitchOut& out);
    void put_out(unsigned output, std::uint32_t line);
    void show(SwitchOut& out);
    void take_credits(const SwitchIn& in);
    void enter(const SwitchIn& in, unsigned input);
    void join(unsigned number, std::uint32_t entry);
    std::uint32_t fresh_entry();
    std::uint32_t pop(List& list);
    void push(List& list, std::uint32_t entry);
    void fail(std::string what);
    List& list_of(unsigned input, unsigned vc, unsigned output)
    {
        return lists_[(std::size_t{input} * parameters_.vcs + vc) * parameters_.ports + output];
    }
    std::size_t channel(unsigned input, unsigned vc) const { return std::size_t{input} * parameters_.vcs + vc; }

    const SwitchBlockParameters parameters_;
    SwitchMatching matching_;
    std::vector<Entry> entries_;
    std::uint32_t free_ = none;
    std::vector<Input> inputs_;
    std::vector<List> lists_;             // by input, channel and output
    std::vector<List> multicast_lists_;   // by input and channel
    std::vector<std::uint64_t> waiting_;  // by input and channel: outputs
    std::vector<std::uint64_t> lacks_;    // by input and channel: outputs that the head of multicast lines lacks
    std::vector<std::uint16_t> held_;     // by input and channel
    std::vector<std::uint16_t> credits_;  // by output and channel
    std::vector<std::uint64_t> some_;     // by channel: outputs with credits
    std::vector<std::uint64_t> usable_;   // by channel, in this clock
    std::uint64_t busy_inputs_ = 0;       // that have something queued
    // Lines on the way in and out: rings of clocks, in each a mask and entries by port.
    std::vector<std::uint64_t> entering_;
    std::vector<std::uint32_t> entering_lines_;
    std::vector<std::uint64_t> leaving_;
    std::vector<std::uint32_t> leaving_lines_;
    unsigned entering_at_ = 0;
    unsigned leaving_at_ = 0;
    std::uint32_t lines_ = 0;   // that entered and have copies to match
    std::uint32_t copies_ = 0;  // matched and not yet out
    bool idle_ = true;
    std::string failure_;
};

}  // namespace weft
