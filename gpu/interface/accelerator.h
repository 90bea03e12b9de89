// The interface between a system and the module of an accelerator of any model.
//
// Sockets: link_out(p) and link_in(p) of fabric port p, for links.
#pragma once

#include <cstdint>
#include <string>

#include "sc_models/l2/slice_model.h"
#include "sc_models/memory/memory_image.h"
#include "sc_models/memory/memory_model.h"
#include "tlm_interconnect/protocol/protocol_checker.h"
#include "tlm_interconnect/routing/route_table.h"
#include "tlm_interconnect/switch/output_port.h"

namespace weft {

class Gpu;
class ReplayGpu;
class TrafficRecorder;

class Accelerator : public sc_core::sc_module {
public:
    struct Wiring {
        std::string path;  // full name, for reports
        std::uint32_t endpoint = 0;
        unsigned ports = 0;
        RouteTable routes;  // fabric ports for each destination endpoint
        bool data_on = true;
        PathSelection path_selection = PathSelection::lines;
        unsigned stripe_shift = 0;            // log2 of the lines in a row that take the same path
        std::uint32_t grain = line_bytes;     // B of the widest transaction
        Checkers* checkers = nullptr;         // protocol checkers between all modules; none when null
        Checkers* watchers = nullptr;         // else: around parts that are not Weft's
        TrafficRecorder* recorder = nullptr;  // of what leaves for other GPUs; none when null
        SliceFactory make_slice;              // of the L2; null: L2Slice
        MemoryFactory make_memory;            // the DRAM; null: Hbm
    };

    virtual LineInitiatorSocket& link_out(unsigned port) = 0;
    virtual LineTargetSocket& link_in(unsigned port) = 0;
    virtual OutputPort& output(unsigned port) = 0;
    // Operations on group `id` go by these ports to the switches that carry them out, in equal turns; the same path
    // hash of a line choose the same entry. One that issues no such operations has no use for it. Also while time
    // passes.
    virtual void add_group(std::uint16_t /*id*/, const std::vector<std::uint16_t>& /*ports*/) {}

    // Who carries out what is launched, and who replays a list: nullptr where the model is none of them.
    virtual Gpu* gpu() { return nullptr; }
    virtual ReplayGpu* replay() { return nullptr; }

    virtual const std::string& path() const = 0;
    virtual std::uint32_t endpoint() const = 0;
    virtual std::uint64_t capacity() const = 0;  // of its memory, B
    virtual MemoryImage& image() = 0;

    virtual std::uint64_t lines() const = 0;      // issued
    virtual std::uint64_t line_hops() const = 0;  // from one module to the next inside it and into its links

protected:
    using sc_module::sc_module;
};

}  // namespace weft
