#include "sc_models/hbm.h"

#include <algorithm>

namespace weft {

Hbm::Hbm(sc_core::sc_module_name name, Agenda& agenda, std::string path, const HbmSpec& spec, unsigned slices)
    : sc_module(name), Station(agenda, std::move(path)), spec_(spec), slices_(slices),
      channels_per_slice_(std::max(1U, static_cast<unsigned>(spec.channels) / slices)),
      channels_(spec.channels, RateServer(std::max<std::uint64_t>(1, spec.bandwidth / spec.channels)))
{
    for (unsigned s = 0; s < slices; ++s)
        targets_.push_back(std::make_unique<LineTargetSocket>(("target" + std::to_string(s)).c_str(), *this, s));
}

Time Hbm::on_request(unsigned slice, Line& line, Time delay)
{
    agenda().schedule(line, *this, agenda().now() + delay, slice);
    return 0;
}

void Hbm::run(AgendaItem& item)
{
    Line& line = Line::of(item);
    const unsigned slice = item.order & 0xfff;
    const std::uint64_t number = local_of(line.address) / line_bytes;
    const std::size_t channel = channels_.size() <= slices_
                                    ? slice * channels_.size() / slices_
                                    : slice * channels_per_slice_ + number / slices_ % channels_per_slice_;
    const Time now = agenda().now();
    const RateServer::Slot slot = channels_[channel].book(now, line_bytes);
    ++(line.op == LineOp::read ? reads_ : writes_);
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    targets_[slice]->send_response(line, std::max(slot.end, slot.start + spec_.latency) - now);
}

std::vector<Statistic> Hbm::statistics() const
{
    double busy = 0;
    for (const RateServer& channel : channels_) busy += static_cast<double>(channel.busy());
    return {{"reads", static_cast<double>(reads_), "lines", "lines read"},
        {"writes", static_cast<double>(writes_), "lines", "lines written back"},
        {"busy", busy, "ps", "time channels were busy, summed over channels"}};
}

void Hbm::reset_statistics()
{
    reads_ = writes_ = 0;
    for (RateServer& channel : channels_) channel.reset_busy();
}

}  // namespace weft
