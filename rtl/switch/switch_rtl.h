// The switch as SystemVerilog (weft_switch.sv), verilated, behind the interface that its reference model has too.
#pragma once

#include <cstdint>
#include <string>

#include "rtl/common/clocked_block.h"
#include "rtl/switch/switch_pins.h"
#include "rtl/verilated/block_library.h"
#include "rtl/verilated/verilated_block.h"

namespace weft {

// What Verilator is to make of `parameters`. Throws InputError when they are out of range.
BlockSource switch_source(const SwitchBlockParameters& parameters);

class SwitchRtl : public ClockedBlock<SwitchIn, SwitchOut> {
public:
    // Verilates the block on first use of `parameters`. `name` is the instance's, for what it reports; `seed`
    // is for the first bits of registers without reset. Throws InputError.
    SwitchRtl(const SwitchBlockParameters& parameters, const std::string& name, std::uint64_t seed = 1);
    // The same of a block that was built otherwise, with the pins of these parameters.
    SwitchRtl(const SwitchBlockParameters& parameters, const BlockSource& source, const std::string& name,
        std::uint64_t seed = 1);

    void reset() override;
    void cycle(const SwitchIn& in, SwitchOut& out) override;
    bool idle() const override { return idle_; }
    void at(std::uint64_t ps) override { block_.at(ps); }
    void note(unsigned signal, const std::string& text) override { block_.note(signal, text); }
    bool waving() const override { return block_.waving(); }
    bool failed() const override { return block_.failed(); }
    std::string failure() const override { return block_.failure(); }

    // Clock, reset and waveforms.
    VerilatedBlock& block() { return block_; }

private:
    void drive(const SwitchIn& in);

    const SwitchBlockParameters parameters_;
    const unsigned vc_width_;
    const unsigned bytes_;  // of a line
    VerilatedBlock block_;
    Pin clk_;
    Pin rst_n_;
    Pin cfg_credits_;
    Pin in_valid_;
    Pin in_vc_;
    Pin in_ports_;
    Pin in_data_;
    Pin in_credit_valid_;
    Pin in_credit_vc_;
    Pin out_valid_;
    Pin out_vc_;
    Pin out_data_;
    Pin out_ready_;
    Pin out_credit_;
    Pin idle_pin_;
    std::uint64_t credit_driven_ = 0;  // outputs with credits on the pins
    bool idle_ = true;
};

}  // namespace weft
