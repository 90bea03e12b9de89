#include "rtl/reduction/reduction_rtl.h"

namespace weft {

namespace {

unsigned bits_for(unsigned count)
{
    unsigned bits = 1;
    while ((1U << bits) < count) ++bits;
    return bits;
}

}  // namespace

BlockSource reduction_source(const ReductionParameters& parameters)
{
    parameters.check();
    BlockSource source;
    source.top = "weft_group_unit";
    source.files = {rtl_file("common/weft_line_pkg.sv")};
    for (const char* const name :
        {"weft_group_pkg", "weft_fp32_pkg", "weft_combine_word", "weft_combine", "weft_context_queue",
            "weft_request_slots", "weft_accumulator", "weft_group_table", "weft_group_checks", "weft_group_unit"})
        source.files.push_back(rtl_file(std::string("reduction/") + name + ".sv"));
    source.parameters = {{"MEMBERS", std::to_string(parameters.members)}, {"GROUPS", std::to_string(parameters.groups)},
        {"CONTEXTS", std::to_string(parameters.contexts)}, {"SLOTS", std::to_string(parameters.slots)},
        {"PORTS", std::to_string(parameters.ports)}, {"VCS", std::to_string(parameters.vcs)},
        {"VC_READ", std::to_string(parameters.vc_read)}, {"VC_WRITE", std::to_string(parameters.vc_write)},
        {"VC_GROUP", std::to_string(parameters.vc_group)}, {"VC_RESPONSE", std::to_string(parameters.vc_response)}};
    return source;
}

ReductionRtl::ReductionRtl(const ReductionParameters& parameters, const std::string& name, std::uint64_t seed)
    : ReductionRtl(parameters, block_library(reduction_source(parameters)), name, seed)
{
}

ReductionRtl::ReductionRtl(const ReductionParameters& parameters, const std::string& library, const std::string& name,
    std::uint64_t seed)
    : parameters_(parameters), block_(library, name, seed), port_bits_(bits_for(parameters.ports)),
      clk_(block_.pin("clk")), rst_n_(block_.pin("rst_n")), in_valid_(block_.pin("in_valid")),
      in_vc_(block_.pin("in_vc")), in_port_(block_.pin("in_port")), in_line_(block_.pin("in_line")),
      in_credit_(block_.pin("in_credit")), out_valid_(block_.pin("out_valid")), out_ports_(block_.pin("out_ports")),
      out_vc_(block_.pin("out_vc")), out_line_(block_.pin("out_line")), out_ready_(block_.pin("out_ready")),
      cfg_valid_(block_.pin("cfg_valid")), cfg_group_(block_.pin("cfg_group")), cfg_count_(block_.pin("cfg_count")),
      cfg_members_(block_.pin("cfg_members")), cfg_endpoints_(block_.pin("cfg_endpoints")),
      cfg_type_(block_.pin("cfg_type")), cfg_op_(block_.pin("cfg_op")), idle_pin_(block_.pin("idle"))
{
    reset();
}

void ReductionRtl::reset()
{
    in_valid_.set(0, 1, 0);
    cfg_valid_.set(0, 1, 0);
    rst_n_.set(0, 1, 0);
    for (int i = 0; i < 2; ++i) block_.edge(clk_);
    rst_n_.set(0, 1, 1);
    idle_ = true;
}

void ReductionRtl::cycle(const ReductionIn& in, ReductionOut& out)
{
    in_valid_.set(0, 1, in.valid);
    if (in.valid) {
        in_vc_.set(0, in_vc_.width(), in.vc);
        in_port_.set(0, port_bits_, in.port);
        in_line_.copy_in(0, in.line.bytes, sizeof in.line.bytes);
    }
    out_ready_.set(0, parameters_.vcs, in.out_ready);
    cfg_valid_.set(0, 1, in.cfg_valid);
    if (in.cfg_valid) {
        cfg_group_.set(0, cfg_group_.width(), in.cfg_group);
        cfg_count_.set(0, cfg_count_.width(), in.cfg_members.size());
        for (unsigned i = 0; i < in.cfg_members.size() && i < parameters_.members; ++i) {
            cfg_members_.set(i * port_bits_, port_bits_, in.cfg_members[i]);
            cfg_endpoints_.set(i * 16, 16, in.cfg_endpoints[i]);
        }
        cfg_type_.set(0, 2, in.cfg_type);
        cfg_op_.set(0, 2, in.cfg_op);
    }
    block_.eval();
    out.credit = static_cast<std::uint32_t>(in_credit_.get(0, parameters_.vcs));
    out.valid = out_valid_.get(0, 1) != 0;
    if (out.valid) {
        out.vc = static_cast<std::uint8_t>(out_vc_.get(0, out_vc_.width()));
        out.ports = out_ports_.get(0, parameters_.ports);
        out_line_.copy_out(0, out.line.bytes, sizeof out.line.bytes);
    }
    out.idle = idle_ = idle_pin_.get(0, 1) != 0;
    block_.rise(clk_);
}

}  // namespace weft
