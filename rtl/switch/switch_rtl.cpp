#include "rtl/switch/switch_rtl.h"

#include <cstring>

namespace weft {

namespace {

unsigned bits_for(unsigned highest)
{
    unsigned bits = 0;
    while (highest >> bits != 0) ++bits;
    return bits;
}

// More than a pin gives at an unaligned offset.
void set_mask(Pin& pin, unsigned offset, unsigned count, std::uint64_t value)
{
    const unsigned low = count < 32 ? count : 32;
    pin.set(offset, low, value & 0xffffffffU);
    if (count > low) pin.set(offset + low, count - low, value >> 32);
}

}  // namespace

BlockSource switch_source(const SwitchBlockParameters& parameters)
{
    parameters.check();
    BlockSource source;
    source.top = "weft_switch";
    source.files = {rtl_file("common/weft_delay.sv")};
    for (const char* name : {"switch_ring", "switch_lists", "switch_voq", "switch_fifo", "matching", "switch_credits",
             "switch_idle", "switch_checks", "switch"})
        source.files.push_back(rtl_file(std::string("switch/weft_") + name + ".sv"));
    const auto number = [&](const char* name, unsigned value) { source.parameters[name] = std::to_string(value); };
    number("PORTS", parameters.ports);
    number("VCS", parameters.vcs);
    number("DEPTH", parameters.depth);
    number("MAX_CREDITS", parameters.max_credits);
    number("WIDTH", parameters.width);
    number("LATENCY", parameters.latency);
    number("TRAVERSAL", parameters.traversal);
    number("ITERATIONS", parameters.iterations);
    source.parameters["ISLIP"] = parameters.islip ? "1'b1" : "1'b0";
    source.parameters["ONE_QUEUE"] = parameters.one_queue ? "1'b1" : "1'b0";
    return source;
}

SwitchRtl::SwitchRtl(const SwitchBlockParameters& parameters, const std::string& name, std::uint64_t seed)
    : SwitchRtl(parameters, switch_source(parameters), name, seed)
{
}

SwitchRtl::SwitchRtl(const SwitchBlockParameters& parameters, const BlockSource& source, const std::string& name,
    std::uint64_t seed)
    : parameters_(parameters), vc_width_(parameters.vcs > 1 ? bits_for(parameters.vcs - 1) : 1),
      bytes_(parameters.width / 8), block_(block_library(source), name, seed), clk_(block_.pin("clk")),
      rst_n_(block_.pin("rst_n")), cfg_credits_(block_.pin("cfg_credits")), in_valid_(block_.pin("in_valid")),
      in_vc_(block_.pin("in_vc")), in_ports_(block_.pin("in_ports")), in_data_(block_.pin("in_data")),
      in_credit_valid_(block_.pin("in_credit_valid")), in_credit_vc_(block_.pin("in_credit_vc")),
      out_valid_(block_.pin("out_valid")), out_vc_(block_.pin("out_vc")), out_data_(block_.pin("out_data")),
      out_ready_(block_.pin("out_ready")), out_credit_(block_.pin("out_credit")), idle_pin_(block_.pin("idle"))
{
    const unsigned width = bits_for(parameters.max_credits);
    for (unsigned output = 0; output < parameters.ports; ++output)
        for (unsigned vc = 0; vc < parameters.vcs; ++vc)
            cfg_credits_.set((output * parameters.vcs + vc) * width, width, parameters.credits_of(output, vc));
    reset();
}

void SwitchRtl::reset()
{
    rst_n_.set(0, 1, 0);
    in_valid_.clear();
    out_credit_.clear();
    credit_driven_ = 0;
    for (int i = 0; i < 2; ++i) block_.edge(clk_);
    rst_n_.set(0, 1, 1);
    idle_ = true;
}

void SwitchRtl::drive(const SwitchIn& in)
{
    set_mask(in_valid_, 0, parameters_.ports, in.valid);
    set_mask(out_ready_, 0, parameters_.ports, in.ready);
    for (std::uint64_t rest = in.valid; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        in_vc_.set(i * vc_width_, vc_width_, in.vc[i]);
        set_mask(in_ports_, i * parameters_.ports, parameters_.ports, in.ports[i]);
        in_data_.copy_in(i * parameters_.width, in.data[i].bytes, bytes_);
    }
    for (unsigned o = 0; o < parameters_.ports; ++o) {
        const std::uint64_t bit = std::uint64_t{1} << o;
        if (in.credit[o] == 0 && (credit_driven_ & bit) == 0) continue;
        out_credit_.set(o * parameters_.vcs, parameters_.vcs, in.credit[o]);
        credit_driven_ = in.credit[o] != 0 ? credit_driven_ | bit : credit_driven_ & ~bit;
    }
}

void SwitchRtl::cycle(const SwitchIn& in, SwitchOut& out)
{
    drive(in);
    block_.eval();
    out.credit_valid = in_credit_valid_.get(0, parameters_.ports);
    for (std::uint64_t rest = out.credit_valid; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        out.credit_vc[i] = static_cast<std::uint8_t>(in_credit_vc_.get(i * vc_width_, vc_width_));
    }
    out.valid = out_valid_.get(0, parameters_.ports);
    for (std::uint64_t rest = out.valid; rest != 0; rest &= rest - 1) {
        const auto o = static_cast<unsigned>(__builtin_ctzll(rest));
        out.vc[o] = static_cast<std::uint8_t>(out_vc_.get(o * vc_width_, vc_width_));
        out_data_.copy_out(o * parameters_.width, out.data[o].bytes, bytes_);
        std::memset(out.data[o].bytes + bytes_, 0, sizeof out.data[o].bytes - bytes_);
    }
    idle_ = out.idle = idle_pin_.get(0, 1) != 0;
    block_.rise(clk_);
}

}  // namespace weft
