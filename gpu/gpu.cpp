#include "gpu/gpu.h"

#include <algorithm>
#include <cstring>

namespace weft {

Gpu::Gpu(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Progress& progress, const GpuSpec& spec,
    const L1Spec& l1, const L2Spec& l2, const HbmSpec& hbm, const Wiring& wiring, const MemorySideSpec& memory_side,
    const NetworkSpec& network, const CopySpec& copy, const BulkSpec& bulk)
    : Accelerator(name), path_(wiring.path), endpoint_(wiring.endpoint), pool_(pool), spec_(spec), l2_spec_(l2),
      hbm_spec_(hbm), memory_side_spec_(memory_side), image_(wiring.data_on)
{
    const unsigned slices = static_cast<unsigned>(l2.slices);
    const std::string here = this->name();
    units_ = std::make_unique<ComputeUnits>("units", event_queue, path_ + ".units", spec, l1, endpoint_, pool, progress,
        wiring.data_on, wiring.path_selection, wiring.stripe_shift, wiring.routes.endpoints(), wiring.grain);
    crossbar_ = std::make_unique<Crossbar>("network", event_queue, path_ + ".network", spec, network, l2, endpoint_,
        wiring.ports, wiring.routes);
    const auto header = static_cast<std::uint32_t>(network.header);
    units_->set_ports({DiePorts(spec.compute_units, network.out_of_unit(), header),
        DiePorts(spec.compute_units, network.unit_rate, header), crossbar_->exits_to_units()});
    const PathChooser paths(endpoint_, wiring.path_selection, wiring.stripe_shift, wiring.routes.endpoints());
    dma_engines_ = std::make_unique<DmaEngines>("movers", event_queue, path_ + ".movers", copy, bulk,
        static_cast<std::uint32_t>(spec.compute_units), pool, progress, wiring.data_on, paths, *units_, wiring.grain);
    dma_engines_->set_ports(units_->ports());
    units_->set_bulk(*dma_engines_);
    units_->set_packets(image_);
    const auto channels = static_cast<unsigned>(hbm.channels);
    const MemoryRequest dram{"hbm", path_ + ".hbm", hbm, memory_side.present() ? channels : slices,
        memory_side.present() ? memory_side.as_cache(channels).sector_shift() : l2.interleave_shift()};
    hbm_ = wiring.make_memory ? wiring.make_memory(event_queue, dram) : std::make_unique<Hbm>(event_queue, dram);
    if (memory_side.present())
        memory_side_ =
            std::make_unique<MemorySideCache>("memory_side", event_queue, path_ + ".memory_side", memory_side, channels,
                slices, l2.separate(), image_, pool, endpoint_, wiring.checkers, wiring.data_on && l2.holds_contents());
    const auto join = [&wiring](LineInitiatorSocket& from, LineTargetSocket& to, bool ours = true) {
        Checkers* const checkers = wiring.checkers != nullptr ? wiring.checkers : ours ? nullptr : wiring.watchers;
        if (checkers != nullptr) {
            checkers->bind(from, to);
        } else {
            from.bind(to);
        }
    };
    join(units_->memory, crossbar_->units);
    join(dma_engines_->memory, crossbar_->dma_engines);
    const auto below = [this](unsigned slice) -> LineTargetSocket& {
        return memory_side_ ? memory_side_->target(slice) : hbm_->target(slice);
    };
    // Mirrored partitions: slices of the same number are one module. Private ones: each numbers its slices by itself.
    const unsigned modules = l2.mirrored() ? slices / 2 : slices;
    const L2Spec cache = l2.separate() ? l2.of_partition() : l2;
    for (unsigned s = 0; s < modules; ++s) {
        const std::string number = std::to_string(s);
        slices_.push_back(tree_.at(here + ".l2." + number, [&](const std::string& last) {
            const SliceRequest request{last, path_ + ".l2." + number, cache, s % static_cast<unsigned>(cache.slices),
                image_, pool, endpoint_};
            return wiring.make_slice ? wiring.make_slice(event_queue, request)
                                     : std::make_unique<L2Slice>(event_queue, request);
        }));
        slices_[s]->set_input_rate(crossbar_->into_slice(), header);
        for (unsigned partition = 0; partition < slices_[s]->partitions(); ++partition) {
            join(crossbar_->to_slice(s + partition * modules), slices_[s]->target_of(partition), l2.of_weft());
            join(slices_[s]->memory_of(partition), below(s + partition * modules),
                l2.of_weft() && (memory_side_ || hbm.ours()));
        }
    }
    if (l2.separate()) join(crossbar_->to_home(), memory_side_->direct());
    for (unsigned c = 0; memory_side_ && c < channels; ++c) join(memory_side_->memory(c), hbm_->target(c), hbm.ours());
    make_ports(ports_, tree_, here, wiring.ports, event_queue, path_, spec, endpoint_);
    if (wiring.recorder != nullptr)
        taps_.init(wiring.ports, [&](const char* tap, std::size_t) {
            return new TrafficTap(tap, event_queue, *wiring.recorder, endpoint_, spec.unit_to_port);
        });
    for (unsigned p = 0; p < wiring.ports; ++p) {
        ports_[p].set_ports(network.port_rate, header, crossbar_->exits_to_ports());
        if (wiring.recorder == nullptr) {
            join(crossbar_->to_port(p), ports_[p].die_in);
        } else {
            join(crossbar_->to_port(p), taps_[p].in);
            join(taps_[p].out, ports_[p].die_in);
        }
        join(ports_[p].die_out, crossbar_->from_port(p));
    }
    count_ports();
    if (wiring.data_on && l2.holds_contents()) hold_contents();
}

// In the order in which reports name them.
void Gpu::count_ports()
{
    DieAccount& account = crossbar_->account();
    account.count("unit_out", units_->ports().out.servers());
    account.count("unit_in", units_->ports().in.servers());
    for (const auto& slice : slices_) account.count("slice_in", slice->inputs());
    crossbar_->count_exits();
    for (FabricPort& port : ports_)
        for (DiePorts& direction : port.to_link()) account.count("port_out", direction.servers());
    for (FabricPort& port : ports_)
        for (DiePorts& direction : port.from_link()) account.count("port_in", direction.servers());
}

void Gpu::hold_contents()
{
    hbm_->hold_contents(image_);
    image_.set_path(*this);
    if (!l2_spec_.separate()) return;
    std::vector<std::vector<L2Slice*>> partitions(l2_spec_.partitions);
    const std::size_t in_partition = slices_.size() / partitions.size();
    for (std::size_t s = 0; s < slices_.size(); ++s)
        partitions[s / in_partition].push_back(&dynamic_cast<L2Slice&>(*slices_[s]));
    std::vector<L2Slice*> home;
    for (L2Slice& slice : memory_side_->slices()) home.push_back(&slice);
    const unsigned home_shift = memory_side_spec_.as_cache(static_cast<unsigned>(home.size())).sector_shift();
    copies_ =
        std::make_unique<CacheCopies>(std::move(partitions), l2_spec_.sector_shift(), std::move(home), home_shift);
}

void Gpu::read_through(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes)
{
    Line& line = pool_.take();
    while (bytes > 0) {
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, line_bytes - local % line_bytes));
        line.begin(LineOp::read, global_address(endpoint_, local), size).source(endpoint_);
        units_->memory.debug(line);
        std::memcpy(out, line.data(), size);
        out += size;
        local += size;
        bytes -= size;
    }
    pool_.give(line);
}

void Gpu::write_through(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes)
{
    Line& line = pool_.take();
    while (bytes > 0) {
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, line_bytes - local % line_bytes));
        line.begin(LineOp::write, global_address(endpoint_, local), size).source(endpoint_);
        std::memcpy(line.data(), in, size);
        units_->memory.debug(line);
        in += size;
        local += size;
        bytes -= size;
    }
    pool_.give(line);
}

Gpu::Gpu(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Progress& progress,
    const ParameterSet& parameters, const Wiring& wiring)
    : Gpu(name, event_queue, pool, progress, parameters.get<GpuSpec>(), parameters.get<L1Spec>(),
          parameters.get<L2Spec>(), parameters.get<HbmSpec>(), wiring, parameters.get<MemorySideSpec>(),
          parameters.get<NetworkSpec>(), parameters.get<CopySpec>(), parameters.get<BulkSpec>())
{
}

std::vector<ComputeUnits::Blocked> Gpu::blocked_workgroups() const
{
    std::vector<ComputeUnits::Blocked> out = units_->blocked();
    const std::vector<ComputeUnits::Blocked> lists = dma_engines_->blocked();
    out.insert(out.end(), lists.begin(), lists.end());
    return out;
}

std::uint64_t Gpu::line_hops() const
{
    std::uint64_t total = units_->memory.requests() + dma_engines_->memory.requests() + crossbar_->hops();
    for (const auto& slice : slices_) total += slice->hops();
    if (memory_side_) total += memory_side_->hops();
    const std::size_t channels = memory_side_ ? memory_side_->slices().size() : l2_spec_.slices;
    for (unsigned c = 0; c < channels; ++c) total += hbm_->responses(c);
    for (const FabricPort& port : ports_) total += port.hops();
    return total;
}

}  // namespace weft
