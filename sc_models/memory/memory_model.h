// The interface of any model of a GPU's DRAM to the GPU and the reports: Hbm, or a module of somebody else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/parameter_block.h"
#include "base/statistic.h"
#include "sc_models/memory/hbm_spec.h"
#include "sc_models/memory/memory_image.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class MemoryModel : public StatisticsProvider {
public:
    // Fills and write-backs of cache slice `slice` come in here and are answered here. A write-back counts for the slice's
    // l2.outstanding_write_backs until its request credit returns (the memory's queue has it), or else until it is answered.
    virtual LineTargetSocket& target(unsigned slice) = 0;
    virtual std::uint64_t responses(unsigned slice) const = 0;  // that left by it
    // Caches hold contents (l2.contents = cached): from now on fills and write-backs carry bytes, which `image` stores for
    // a model that has no store of its own. Before time starts.
    virtual void hold_contents(MemoryImage& image) = 0;
};

// What makes the DRAM of a GPU.
struct MemoryRequest {
    std::string module_name;  // unique within the GPU
    std::string path;         // full name, for reports
    const HbmSpec& spec;
    unsigned slices;            // in front of it
    unsigned sector_shift = 0;  // log2 of the lines in a row that one slice has
    ParameterSet parameters{};  // of its GPU, with the block of the model itself
};
using MemoryFactory = std::function<std::unique_ptr<MemoryModel>(EventQueue&, const MemoryRequest&)>;

}  // namespace weft
