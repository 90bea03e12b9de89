// Models by kind and name: what a node of the document can be instantiated as.
//
// "gpu" and "switch" are the kinds. A model registers a factory under its kind; `--model GLOB=NAME` and `bind:` in a
// system file choose among them by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/replay_gpu.h"
#include "tlm_interconnect/switch.h"

namespace weft {

// What every module of a run shares.
struct RunContext {
    Agenda& agenda;
    LinePool& pool;
    Progress& progress;
};

struct SwitchRequest {
    std::string module_name;  // unique within the system, legal in SystemC
    std::string path;         // full name, for reports
    SwitchSpec spec;
    unsigned ports = 0;
    RouteTable routes;
};

struct GpuRequest {
    std::string module_name;
    GpuSpec gpu;
    NetworkSpec network;
    L2Spec l2;
    L1Spec l1;
    MemorySideSpec memory_side;
    HbmSpec hbm;
    CopySpec copy;
    BulkSpec bulk;
    Gpu::Wiring wiring;
};

class ModelRegistry {
public:
    using SwitchFactory = std::function<std::unique_ptr<SwitchModel>(const RunContext&, const SwitchRequest&)>;
    using GpuFactory = std::function<std::unique_ptr<Accelerator>(const RunContext&, const GpuRequest&)>;

    // With the built-in models.
    ModelRegistry();

    // Throw InputError when the kind has a model of that name. `text` is shown by `weft models`.
    void add_switch(const std::string& name, const std::string& text, SwitchFactory factory);
    void add_gpu(const std::string& name, const std::string& text, GpuFactory factory);

    // Throw InputError for an unknown name.
    const SwitchFactory& switch_factory(const std::string& name) const;
    const GpuFactory& gpu_factory(const std::string& name) const;

    struct Entry {
        std::string kind;
        std::string name;
        std::string text;
    };
    std::vector<Entry> entries() const;
    std::map<std::string, std::vector<std::string>> names_by_kind() const;

private:
    std::map<std::string, std::pair<std::string, SwitchFactory>> switches_;
    std::map<std::string, std::pair<std::string, GpuFactory>> gpus_;
};

}  // namespace weft
