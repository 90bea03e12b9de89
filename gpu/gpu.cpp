#include "gpu/gpu.h"

namespace weft {

Gpu::Gpu(sc_core::sc_module_name name, Agenda& agenda, LinePool& pool, Progress& progress, const GpuSpec& spec,
    const L1Spec& l1, const L2Spec& l2, const HbmSpec& hbm, const Wiring& wiring)
    : Accelerator(name), path_(wiring.path), endpoint_(wiring.endpoint), spec_(spec), l2_spec_(l2), hbm_spec_(hbm),
      image_(wiring.data_on)
{
    const unsigned slices = static_cast<unsigned>(l2.slices);
    units_ = std::make_unique<ComputeUnits>("units", agenda, path_ + ".units", spec, l1, endpoint_, pool, progress,
        wiring.data_on, wiring.spread, wiring.stripe_shift, wiring.routes.endpoints());
    crossbar_ = std::make_unique<Crossbar>("crossbar", spec, endpoint_, slices, wiring.ports, wiring.routes);
    hbm_ = std::make_unique<Hbm>("hbm", agenda, path_ + ".hbm", hbm, slices);
    const auto join = [&wiring](LineInitiatorSocket& from, LineTargetSocket& to) {
        if (wiring.checkers != nullptr) {
            wiring.checkers->bind(from, to);
        } else {
            from.bind(to);
        }
    };
    join(units_->memory, crossbar_->units);
    for (unsigned s = 0; s < slices; ++s) {
        const std::string number = std::to_string(s);
        slices_.push_back(std::make_unique<L2Slice>(("l2_" + number).c_str(), agenda, path_ + ".l2." + number, l2, s,
            image_, pool, endpoint_));
        join(crossbar_->to_slice(s), slices_[s]->target);
        join(slices_[s]->memory, hbm_->target(s));
    }
    for (unsigned p = 0; p < wiring.ports; ++p) {
        const std::string number = std::to_string(p);
        ports_.push_back(std::make_unique<FabricPort>(("port" + number).c_str(), agenda, path_ + ".port." + number));
        if (wiring.recorder == nullptr) {
            join(crossbar_->to_port(p), ports_[p]->die_in);
        } else {
            taps_.push_back(std::make_unique<TrafficTap>(("tap" + number).c_str(), agenda, *wiring.recorder,
                endpoint_, spec.unit_to_port));
            join(crossbar_->to_port(p), taps_[p]->in);
            join(taps_[p]->out, ports_[p]->die_in);
        }
        join(ports_[p]->die_out, crossbar_->from_port(p));
    }
}

std::uint64_t Gpu::line_hops() const
{
    std::uint64_t total = units_->memory.requests() + crossbar_->hops();
    for (const auto& slice : slices_) total += slice->memory.requests() + slice->target.responses();
    for (unsigned s = 0; s < slices_.size(); ++s) total += hbm_->responses(s);
    for (const auto& port : ports_)
        total += port->link_out.requests() + port->link_in.responses() + port->die_out.requests() +
                 port->die_in.responses();
    return total;
}

std::vector<Statistic> Gpu::l2_statistics() const
{
    std::vector<Statistic> sum;
    for (const auto& slice : slices_) {
        const std::vector<Statistic> part = slice->statistics();
        if (sum.empty()) {
            sum = part;
        } else {
            for (std::size_t i = 0; i < part.size(); ++i) sum[i].value += part[i].value;
        }
    }
    return sum;
}

}  // namespace weft
