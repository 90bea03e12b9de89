#include "rtl/group_switch/group_switch_rtl.h"

#include "rtl/reduction/reduction_rtl.h"

namespace weft {

BlockSource group_switch_source(const GroupSwitchParameters& parameters)
{
    parameters.check();
    BlockSource source = switch_source(parameters.core());
    const BlockSource unit = reduction_source(parameters.unit());
    BlockSource out;
    out.top = "weft_group_switch";
    out.files = unit.files;
    out.files.insert(out.files.end(), source.files.begin(), source.files.end());
    out.files.push_back(rtl_file("group_switch/weft_group_switch.sv"));
    for (const char* const name : {"VCS", "DEPTH", "MAX_CREDITS", "ITERATIONS", "ISLIP", "ONE_QUEUE"})
        out.parameters[name] = source.parameters.at(name);
    for (const char* const name :
        {"GROUPS", "CONTEXTS", "SLOTS", "PORTS", "VC_READ", "VC_WRITE", "VC_GROUP", "VC_RESPONSE"})
        out.parameters[name] = unit.parameters.at(name);
    out.parameters["LATENCY"] = std::to_string(parameters.outside.latency);
    return out;
}

GroupSwitchRtl::GroupSwitchRtl(const GroupSwitchParameters& parameters, const std::string& name, std::uint64_t seed)
    : GroupSwitchRtl(parameters, group_switch_source(parameters), name, seed)
{
}

GroupSwitchRtl::GroupSwitchRtl(const GroupSwitchParameters& parameters, const BlockSource& source,
    const std::string& name, std::uint64_t seed)
    : parameters_(parameters), pins_(parameters.outside, source, name, seed), in_unit_(pins_.block().pin("in_unit")),
      cfg_valid_(pins_.block().pin("cfg_valid")), cfg_group_(pins_.block().pin("cfg_group")),
      cfg_count_(pins_.block().pin("cfg_count")), cfg_members_(pins_.block().pin("cfg_members")),
      cfg_endpoints_(pins_.block().pin("cfg_endpoints")), cfg_type_(pins_.block().pin("cfg_type")),
      cfg_op_(pins_.block().pin("cfg_op")), port_bits_(cfg_members_.width() / parameters.outside.ports)
{
}

void GroupSwitchRtl::configure(const GroupEntry& entry)
{
    cfg_group_.set(0, cfg_group_.width(), entry.number);
    cfg_count_.set(0, cfg_count_.width(), entry.members.size());
    cfg_type_.set(0, 2, entry.type);
    cfg_op_.set(0, 2, entry.op);
    for (unsigned m = 0; m < entry.members.size(); ++m) {
        cfg_members_.set(m * port_bits_, port_bits_, entry.members[m]);
        cfg_endpoints_.set(m * 16, 16, entry.endpoints[m]);
    }
}

void GroupSwitchRtl::cycle(const SwitchIn& in, SwitchOut& out)
{
    for (std::uint64_t rest = in.valid; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        in_unit_.set(i, 1, in.ports[i] >> parameters_.outside.ports & 1U);
    }
    const bool configures = !waiting_groups_.empty();
    cfg_valid_.set(0, 1, configures ? 1 : 0);
    if (configures) configure(waiting_groups_.front());
    pins_.cycle(in, out);
    if (configures) waiting_groups_.pop_front();
}

}  // namespace weft
