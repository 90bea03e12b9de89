// The switch with a unit for operations on groups, to the clock (weft_group_switch.sv is the block): the reference models of its
// two parts, the registers between them and the input pipelines.
#pragma once

#include <deque>
#include <vector>

#include "rtl/group_switch/group_switch_pins.h"
#include "rtl/reduction/reference_reduction.h"
#include "rtl/switch/reference_switch.h"

namespace weft {

class ReferenceGroupSwitch : public GroupSwitchBlock {
public:
    // Throws InputError.
    explicit ReferenceGroupSwitch(const GroupSwitchParameters& parameters);

    void set_group(const GroupEntry& entry) override { waiting_groups_.push_back(entry); }
    void reset() override;
    void cycle(const SwitchIn& in, SwitchOut& out) override;
    bool idle() const override { return idle_ && waiting_groups_.empty(); }

private:
    struct Coming {
        std::uint64_t clock;  // in which it enters the core
        std::uint8_t vc;
        std::uint64_t ports;
        LineBits data;
    };
    // Lines in the pipeline of an input, at most one for each clock of it.
    struct Pipeline {
        std::vector<Coming> ring;
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

    void drive_unit();
    void drive_core(const SwitchIn& in);
    void show(SwitchOut& out);

    GroupSwitchParameters parameters_;
    const unsigned unit_port_;
    const unsigned delay_;  // clocks in front of the core
    ReferenceSwitch core_;
    ReferenceReduction unit_;
    SwitchIn core_in_;
    SwitchOut core_out_;
    ReductionIn unit_in_;
    ReductionOut unit_out_;
    std::vector<Pipeline> pipelines_;
    std::uint64_t filled_ = 0;                // pipelines with lines
    std::vector<std::uint32_t> room_;         // by channel, behind the unit's own input
    std::vector<std::uint16_t> endpoint_at_;  // by group and output
    std::deque<GroupEntry> waiting_groups_;
    std::uint64_t clock_ = 0;
    bool idle_ = true;
};

}  // namespace weft
