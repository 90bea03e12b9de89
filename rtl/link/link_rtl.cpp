#include "rtl/link/link_rtl.h"

#include <fmt/format.h>

#include "rtl/link/link_packet.h"

namespace weft {

BlockSource link_source(const LinkParams& params)
{
    params.check();
    BlockSource source;
    source.top = "weft_link_endpoint";
    source.files = {rtl_file("common/weft_line_pkg.sv")};
    for (const char* const name : {"pkg", "crc", "credits", "owed", "replay", "serializer", "receiver", "endpoint"})
        source.files.push_back(rtl_file(fmt::format("link/weft_link_{}.sv", name)));
    source.parameters = {{"FLIT_BYTES", std::to_string(params.flit_bytes)}, {"VCS", std::to_string(params.vcs)},
        {"REPLAY", std::to_string(params.replay)}, {"SEQ_BITS", std::to_string(params.seq_bits)},
        {"TIMEOUT", std::to_string(params.timeout)}, {"BATCH", std::to_string(params.batch)},
        {"HOLD", std::to_string(params.hold)}, {"CRC_POLY", fmt::format("32'h{:08x}", params.crc_poly)}};
    return source;
}

LinkEndpointRtl::LinkEndpointRtl(const LinkParams& params, const BlockSource& source, const std::string& name,
    std::uint64_t seed)
    : params_(params), block_(block_library(source), name, seed), clk_(block_.pin("clk")), rst_n_(block_.pin("rst_n")),
      tx_valid_(block_.pin("tx_valid")), tx_vc_(block_.pin("tx_vc")), tx_line_(block_.pin("tx_line")),
      rx_credit_(block_.pin("rx_credit")), wire_in_valid_(block_.pin("wire_in_valid")),
      wire_in_flit_(block_.pin("wire_in_flit")), tx_ready_(block_.pin("tx_ready")), rx_valid_(block_.pin("rx_valid")),
      rx_vc_(block_.pin("rx_vc")), rx_line_(block_.pin("rx_line")), wire_out_valid_(block_.pin("wire_out_valid")),
      wire_out_flit_(block_.pin("wire_out_flit")), idle_pin_(block_.pin("idle"))
{
    Pin credits = block_.pin("initial_credits");
    for (unsigned v = 0; v < params.vcs; ++v) credits.set(link_credit_bits * v, link_credit_bits, params.credits[v]);
    LinkEndpointRtl::reset();
}

void LinkEndpointRtl::reset()
{
    drive(LinkIn());
    rst_n_.set(0, 1, 0);
    for (int i = 0; i < 2; ++i) block_.edge(clk_);
    rst_n_.set(0, 1, 1);
    block_.eval();
    idle_ = true;
    driven_ = false;
}

void LinkEndpointRtl::drive(const LinkIn& in)
{
    tx_valid_.set(0, 1, in.tx_valid);
    tx_vc_.set(0, 3, in.tx_vc);
    if (in.tx_valid) tx_line_.copy_in(0, in.tx_line.bytes, beat_bits / 8);
    rx_credit_.set(0, params_.vcs, in.rx_credit);
    wire_in_valid_.set(0, 1, in.wire_valid);
    if (!in.wire_valid) return;
    wire_in_flit_.copy_in(0, in.wire.bytes, params_.flit_bytes);
    wire_in_flit_.set(8 * params_.flit_bytes, 2, (in.wire.head ? 1U : 0U) | (in.wire.tail ? 2U : 0U));
}

void LinkEndpointRtl::cycle(const LinkIn& in, LinkOut& out)
{
    // Outputs have settled after the last clock: again only for inputs that change.
    const bool driven = in.tx_valid || in.wire_valid || in.rx_credit != 0;
    if (driven || driven_) {
        drive(in);
        block_.eval();
    }
    driven_ = driven;
    out.tx_ready = static_cast<std::uint8_t>(tx_ready_.get(0, params_.vcs));
    out.rx_valid = rx_valid_.get(0, 1) != 0;
    out.wire_valid = wire_out_valid_.get(0, 1) != 0;
    out.idle = idle_ = idle_pin_.get(0, 1) != 0;
    if (out.rx_valid) {
        out.rx_vc = static_cast<std::uint8_t>(rx_vc_.get(0, 3));
        rx_line_.copy_out(0, out.rx_line.bytes, beat_bits / 8);
    }
    if (out.wire_valid) {
        wire_out_flit_.copy_out(0, out.wire.bytes, params_.flit_bytes);
        const std::uint64_t tags = wire_out_flit_.get(8 * params_.flit_bytes, 2);
        out.wire.head = (tags & 1) != 0;
        out.wire.tail = (tags & 2) != 0;
    }
    block_.rise(clk_);
}

}  // namespace weft
