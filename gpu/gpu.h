// A GPU: compute units, copy engines, on-die network, L2 slices, memory-side cache if there is one, DRAM and fabric
// ports, wired together.
//
// Sockets: link_out(p) and link_in(p) of fabric port p, for links. Parameters: GpuSpec, L1Spec, L2Spec,
// MemorySideSpec, HbmSpec, NetworkSpec, CopySpec, BulkSpec.
// Local addresses [0, capacity) are data; flags lie at MemoryImage::flag_base.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/parameter_block.h"
#include "gpu/copies/dma_engines.h"
#include "gpu/interface/accelerator.h"
#include "gpu/network/crossbar.h"
#include "gpu/network/fabric_port.h"
#include "gpu/replay/traffic_recorder.h"
#include "gpu/units/compute_units.h"
#include "sc_models/l2/cache_copies.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/hbm.h"
#include "sc_models/memory/memory_image.h"
#include "sc_models/memory_side_cache.h"
#include "tlm_interconnect/kernel/module_tree.h"

namespace weft {

class Gpu : public Accelerator, private MemoryPath {
public:
    Gpu(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Progress& progress, const GpuSpec& spec,
        const L1Spec& l1, const L2Spec& l2, const HbmSpec& hbm, const Wiring& wiring,
        const MemorySideSpec& memory_side = {}, const NetworkSpec& network = {}, const CopySpec& copy = {},
        const BulkSpec& bulk = {});
    // The same with the blocks of parameters of an accelerator.
    Gpu(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Progress& progress,
        const ParameterSet& parameters, const Wiring& wiring);

    LineInitiatorSocket& link_out(unsigned port) override { return ports_[port].link_out; }
    LineTargetSocket& link_in(unsigned port) override { return ports_[port].link_in; }
    OutputPort& output(unsigned port) override { return ports_[port].output(); }
    void add_group(std::uint16_t id, const std::vector<std::uint16_t>& ports) override
    {
        crossbar_->add_group(id, ports);
    }

    ComputeUnits& units() { return *units_; }
    const ComputeUnits& units() const { return *units_; }
    DmaEngines& dma_engines() { return *dma_engines_; }
    const DmaEngines& dma_engines() const { return *dma_engines_; }
    // Workgroups, and lists of copy engines, that are not done.
    std::vector<ComputeUnits::Blocked> blocked_workgroups() const;
    std::size_t queued_workgroups() const { return units_->queued(); }
    bool cannot_progress() const { return units_->cannot_progress() || dma_engines_->cannot_progress(); }
    MemoryImage& image() override { return image_; }
    std::uint64_t capacity() const override { return hbm_spec_.capacity; }
    const GpuSpec& spec() const { return spec_; }
    const L2Spec& l2_spec() const { return l2_spec_; }
    const HbmSpec& hbm_spec() const { return hbm_spec_; }
    const MemorySideSpec& memory_side_spec() const { return memory_side_spec_; }
    const std::string& path() const override { return path_; }
    std::uint32_t endpoint() const override { return endpoint_; }
    const std::vector<std::unique_ptr<SliceModel>>& slices() const { return slices_; }
    const sc_core::sc_vector<FabricPort>& ports() const { return ports_; }
    const MemorySideCache* memory_side() const { return memory_side_.get(); }  // null: there is none
    const MemoryModel& hbm() const { return *hbm_; }
    const Crossbar& network() const { return *crossbar_; }

    std::uint64_t lines() const override { return units_->lines() + dma_engines_->lines(); }
    Gpu* gpu() override { return this; }
    std::uint64_t line_hops() const override;

    // L2 as a whole: the slices' statistics summed.
    std::vector<Statistic> l2_statistics() const { return summed_statistics(slices_); }

private:
    // Deleted from the last to the first, as members are: the kernel looks for each port from the end of its list.
    struct Slices : std::vector<std::unique_ptr<SliceModel>> {
        ~Slices()
        {
            while (!empty()) pop_back();
        }
    };

    void count_ports();
    // Where caches hold contents: transport_dbg from the units on.
    void read_through(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes) override;
    void write_through(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes) override;
    void hold_contents();

    std::string path_;
    std::uint32_t endpoint_;
    LinePool& pool_;
    GpuSpec spec_;
    L2Spec l2_spec_;
    HbmSpec hbm_spec_;
    MemorySideSpec memory_side_spec_;
    MemoryImage image_;
    std::unique_ptr<ComputeUnits> units_;
    std::unique_ptr<Crossbar> crossbar_;
    std::unique_ptr<DmaEngines> dma_engines_;
    std::unique_ptr<MemoryModel> hbm_;  // of any model, as the slices
    std::unique_ptr<MemorySideCache> memory_side_;
    std::unique_ptr<CacheCopies> copies_;  // of private partitions that hold contents
    ModuleTree tree_;
    Slices slices_;  // of any model, which the wiring chooses
    sc_core::sc_vector<FabricPort> ports_{"ports"};
    sc_core::sc_vector<TrafficTap> taps_{"tap"};  // of a run that is recorded, one per port
};

}  // namespace weft
