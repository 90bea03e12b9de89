// The block weft_link_endpoint behind the interface of its reference model.
#pragma once

#include <string>

#include "rtl/link/link_pins.h"
#include "rtl/verilated/block_library.h"
#include "rtl/verilated/verilated_block.h"

namespace weft {

// What is to be verilated for these parameters. Throws InputError for parameters that there is no block for.
BlockSource link_source(const LinkParams& params);

class LinkEndpointRtl : public LinkEndpoint {
public:
    // `name` is the instance's; `seed`: bits of registers before reset.
    LinkEndpointRtl(const LinkParams& params, const std::string& name, std::uint64_t seed = 1)
        : LinkEndpointRtl(params, link_source(params), name, seed)
    {
    }
    // Of another source: with waveforms, without assertions.
    LinkEndpointRtl(const LinkParams& params, const BlockSource& source, const std::string& name, std::uint64_t seed);

    void reset() override;
    void cycle(const LinkIn& in, LinkOut& out) override;
    bool idle() const override { return idle_; }
    void at(std::uint64_t ps) override { block_.at(ps); }
    void note(unsigned signal, const std::string& text) override { block_.note(signal, text); }
    bool waving() const override { return block_.waving(); }
    bool failed() const override { return block_.failed(); }
    std::string failure() const override { return block_.failure(); }

    VerilatedBlock& block() { return block_; }

private:
    void drive(const LinkIn& in);

    LinkParams params_;
    VerilatedBlock block_;
    Pin clk_, rst_n_, tx_valid_, tx_vc_, tx_line_, rx_credit_, wire_in_valid_, wire_in_flit_;
    Pin tx_ready_, rx_valid_, rx_vc_, rx_line_, wire_out_valid_, wire_out_flit_, idle_pin_;
    bool idle_ = true;
    bool driven_ = false;  // something came in in the last clock
};

}  // namespace weft
