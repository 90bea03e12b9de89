// The block weft_llc_slice.sv behind the interface of its reference model.
#pragma once

#include <string>

#include "rtl/cache/llc_pins.h"
#include "rtl/common/clocked_block.h"
#include "rtl/verilated/block_library.h"
#include "rtl/verilated/verilated_block.h"

namespace weft {

// The block with these parameters, for block_library(). Throws InputError for parameters out of their range.
BlockSource llc_source(const LlcParameters& parameters);

class LlcRtl final : public ClockedBlock<LlcIn, LlcOut> {
public:
    // Verilates the block unless that was done before. `name` is the instance's; registers that no reset sets begin
    // with bits from `seed`. Throws InputError.
    LlcRtl(const LlcParameters& parameters, const std::string& name, std::uint64_t seed = 1);
    // One that was made from llc_source(), with waveforms for example.
    LlcRtl(const BlockSource& source, const std::string& name, std::uint64_t seed = 1);

    void reset() override;
    void cycle(const LlcIn& in, LlcOut& out) override;
    bool idle() const override { return idle_; }
    void at(std::uint64_t ps) override { block_.at(ps); }
    void note(unsigned signal, const std::string& text) override { block_.note(signal, text); }
    bool waving() const override { return block_.waving(); }
    bool failed() const override { return block_.failed(); }
    std::string failure() const override { return block_.failure(); }

    VerilatedBlock& block() { return block_; }

private:
    VerilatedBlock block_;
    Pin clk_, rst_n_, endpoint_;
    Pin req_valid_, req_ready_, req_;
    Pin resp_valid_, resp_ready_, resp_;
    Pin mem_read_valid_, mem_read_ready_, mem_read_;
    Pin mem_write_valid_, mem_write_ready_, mem_write_;
    Pin mem_resp_valid_, mem_resp_ready_, mem_resp_;
    Pin flush_, flushed_, hit_, miss_, merged_, write_back_, idle_pin_;
    bool idle_ = true;
};

}  // namespace weft
