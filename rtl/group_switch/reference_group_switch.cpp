#include "rtl/group_switch/reference_group_switch.h"

namespace weft {

namespace {

constexpr unsigned port_shift = 10;  // of a destination: its top six bits
constexpr std::uint16_t group_bits = 0xfc00;

const GroupSwitchParameters& checked(const GroupSwitchParameters& parameters)
{
    parameters.check();
    return parameters;
}

}  // namespace

ReferenceGroupSwitch::ReferenceGroupSwitch(const GroupSwitchParameters& parameters)
    : parameters_(checked(parameters)), unit_port_(parameters.outside.ports), delay_(parameters.outside.latency - 1),
      core_(parameters.core()), unit_(parameters.unit()), core_in_(parameters.core()), core_out_(parameters.core()),
      pipelines_(unit_port_), room_(parameters.outside.vcs, parameters.outside.depth),
      endpoint_at_(std::size_t{parameters.groups} * unit_port_)
{
    for (Pipeline& pipeline : pipelines_) pipeline.ring.resize(delay_ + 1);
}

void ReferenceGroupSwitch::reset()
{
    core_.reset();
    unit_.reset();
    for (Pipeline& pipeline : pipelines_) pipeline.first = pipeline.count = 0;
    filled_ = 0;
    room_.assign(parameters_.outside.vcs, parameters_.outside.depth);
    unit_in_.valid = false;
    clock_ = 0;
    idle_ = true;
}

void ReferenceGroupSwitch::drive_unit()
{
    unit_in_.out_ready = 0;
    for (unsigned vc = 0; vc < room_.size(); ++vc)
        if (room_[vc] > 0) unit_in_.out_ready |= 1U << vc;
    unit_in_.cfg_valid = !waiting_groups_.empty();
    if (!unit_in_.cfg_valid) return;
    const GroupEntry& entry = waiting_groups_.front();
    unit_in_.cfg_group = entry.number;
    unit_in_.cfg_type = entry.type;
    unit_in_.cfg_op = entry.op;
    unit_in_.cfg_members = entry.members;
    unit_in_.cfg_endpoints = entry.endpoints;
}

void ReferenceGroupSwitch::drive_core(const SwitchIn& in)
{
    for (std::uint64_t rest = in.valid; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        Pipeline& pipeline = pipelines_[i];
        Coming& coming = pipeline.ring[(pipeline.first + pipeline.count++) % pipeline.ring.size()];
        coming = {clock_ + delay_, in.vc[i], in.ports[i], in.data[i]};
        if ((in.ports[i] >> unit_port_ & 1U) != 0 && !in.data[i].response()) {
            const std::uint16_t group = in.data[i].destination();
            coming.data.set_place(static_cast<std::uint16_t>((group & ~group_bits) | i << port_shift),
                in.data[i].address());
        }
        filled_ |= std::uint64_t{1} << i;
    }
    core_in_.valid = 0;
    for (std::uint64_t rest = filled_; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        Pipeline& pipeline = pipelines_[i];
        const Coming& coming = pipeline.ring[pipeline.first];
        if (coming.clock != clock_) continue;
        core_in_.valid |= std::uint64_t{1} << i;
        core_in_.vc[i] = coming.vc;
        core_in_.ports[i] = coming.ports;
        core_in_.data[i] = coming.data;
        pipeline.first = pipeline.first + 1 == pipeline.ring.size() ? 0 : pipeline.first + 1;
        if (--pipeline.count == 0) filled_ &= ~(std::uint64_t{1} << i);
    }
    if (unit_out_.valid) {
        core_in_.valid |= std::uint64_t{1} << unit_port_;
        core_in_.vc[unit_port_] = unit_out_.vc;
        core_in_.ports[unit_port_] = unit_out_.ports;
        core_in_.data[unit_port_] = unit_out_.line;
        --room_[unit_out_.vc];
    }
    core_in_.ready = in.ready | std::uint64_t{1} << unit_port_;
    for (unsigned o = 0; o < unit_port_; ++o) core_in_.credit[o] = in.credit[o];
    core_in_.credit[unit_port_] = static_cast<std::uint16_t>(unit_out_.credit);
}

void ReferenceGroupSwitch::show(SwitchOut& out)
{
    const std::uint64_t outer = (std::uint64_t{1} << unit_port_) - 1;
    out.credit_valid = core_out_.credit_valid & outer;
    for (std::uint64_t rest = out.credit_valid; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        out.credit_vc[i] = core_out_.credit_vc[i];
    }
    out.valid = core_out_.valid & outer;
    for (std::uint64_t rest = out.valid; rest != 0; rest &= rest - 1) {
        const auto o = static_cast<unsigned>(__builtin_ctzll(rest));
        out.vc[o] = core_out_.vc[o];
        out.data[o] = core_out_.data[o];
        const std::uint16_t source = out.data[o].source();
        if (!out.data[o].response() && source >= group_bits && out.data[o].destination() >= group_bits) {
            const std::size_t group = static_cast<unsigned>(source & ~group_bits) % parameters_.groups;
            out.data[o].set_place(endpoint_at_[group * unit_port_ + o], out.data[o].address());
        }
    }
}

void ReferenceGroupSwitch::cycle(const SwitchIn& in, SwitchOut& out)
{
    drive_unit();
    const bool fed = unit_in_.valid;
    unit_.cycle(unit_in_, unit_out_);
    drive_core(in);
    core_.cycle(core_in_, core_out_);
    show(out);
    if ((core_out_.credit_valid >> unit_port_ & 1U) != 0) ++room_[core_out_.credit_vc[unit_port_]];

    idle_ = out.idle = core_out_.idle && unit_out_.idle && filled_ == 0 && core_in_.valid == 0 && !fed && in.valid == 0;
    unit_in_.valid = (core_out_.valid >> unit_port_ & 1U) != 0;
    if (unit_in_.valid) {
        unit_in_.vc = core_out_.vc[unit_port_];
        unit_in_.line = core_out_.data[unit_port_];
        const std::uint16_t destination = unit_in_.line.destination();
        unit_in_.port = static_cast<std::uint8_t>(destination >> port_shift);
        if (!unit_in_.line.response()) unit_in_.line.set_place(destination | group_bits, unit_in_.line.address());
    }
    if (unit_in_.cfg_valid) {
        const GroupEntry& entry = waiting_groups_.front();
        for (std::size_t m = 0; m < entry.members.size(); ++m)
            endpoint_at_[std::size_t{entry.number} * unit_port_ + entry.members[m]] = entry.endpoints[m];
        waiting_groups_.pop_front();
    }
    ++clock_;
}

}  // namespace weft
