// weft_group_switch.sv, verilated, behind the interface of its reference model.
#pragma once

#include <deque>

#include "rtl/group_switch/group_switch_pins.h"
#include "rtl/switch/switch_rtl.h"

namespace weft {

BlockSource group_switch_source(const GroupSwitchParameters& parameters);

class GroupSwitchRtl : public GroupSwitchBlock {
public:
    // Verilates the block on first use of `parameters`. Throws InputError.
    GroupSwitchRtl(const GroupSwitchParameters& parameters, const std::string& name, std::uint64_t seed = 1);
    // The same of another source: with waveforms.
    GroupSwitchRtl(const GroupSwitchParameters& parameters, const BlockSource& source, const std::string& name,
        std::uint64_t seed = 1);

    void set_group(const GroupEntry& entry) override { waiting_groups_.push_back(entry); }
    void reset() override { pins_.reset(); }
    void cycle(const SwitchIn& in, SwitchOut& out) override;
    bool idle() const override { return pins_.idle() && waiting_groups_.empty(); }
    void at(std::uint64_t ps) override { pins_.at(ps); }
    void note(unsigned signal, const std::string& text) override { pins_.note(signal, text); }
    bool waving() const override { return pins_.waving(); }
    bool failed() const override { return pins_.failed(); }
    std::string failure() const override { return pins_.failure(); }

    VerilatedBlock& block() { return pins_.block(); }

private:
    void configure(const GroupEntry& entry);

    GroupSwitchParameters parameters_;
    SwitchRtl pins_;
    Pin in_unit_;
    Pin cfg_valid_, cfg_group_, cfg_count_, cfg_members_, cfg_endpoints_, cfg_type_, cfg_op_;
    unsigned port_bits_;
    std::deque<GroupEntry> waiting_groups_;
};

}  // namespace weft
