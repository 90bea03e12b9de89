// weft_group_unit.sv as Verilator made it, behind the interface of its reference model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl/common/clocked_block.h"
#include "rtl/reduction/reduction_pins.h"
#include "rtl/verilated/block_library.h"
#include "rtl/verilated/verilated_block.h"

namespace weft {

// The block as Verilator takes it, to be built with other options than ReductionRtl uses.
BlockSource reduction_source(const ReductionParameters& parameters);

class ReductionRtl final : public ClockedBlock<ReductionIn, ReductionOut> {
public:
    // Builds the block unless it is there. Throws InputError.
    ReductionRtl(const ReductionParameters& parameters, const std::string& name, std::uint64_t seed = 1);
    // One that is built, of reduction_source(parameters).
    ReductionRtl(const ReductionParameters& parameters, const std::string& library, const std::string& name,
        std::uint64_t seed);

    void reset() override;
    void cycle(const ReductionIn& in, ReductionOut& out) override;
    bool idle() const override { return idle_; }
    bool failed() const override { return block_.failed(); }
    std::string failure() const override { return block_.failure(); }
    VerilatedBlock& block() { return block_; }

private:
    ReductionParameters parameters_;
    VerilatedBlock block_;
    bool idle_ = true;
    unsigned port_bits_;
    Pin clk_, rst_n_, in_valid_, in_vc_, in_port_, in_line_, in_credit_;
    Pin out_valid_, out_ports_, out_vc_, out_line_, out_ready_;
    Pin cfg_valid_, cfg_group_, cfg_count_, cfg_members_, cfg_endpoints_, cfg_type_, cfg_op_;
    Pin idle_pin_;
};

}  // namespace weft
