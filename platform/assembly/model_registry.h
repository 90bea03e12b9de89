// Models by kind and name: what a node of the document can be instantiated as.
//
// "gpu", "switch" and "link" are the kinds. A model registers a factory under its kind; `--model GLOB=NAME` and `bind:` in a
// system file choose among those of nodes by name, the parameter link.model among links.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/replay_gpu.h"
#include "rtl/common/wave_window.h"
#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/switch/switch.h"

namespace weft {

// Waveforms of blocks of RTL, by instance: the first entry whose glob fits.
struct Waves {
    struct Entry {
        std::string instances;  // glob over paths of switches, ends of links ("a~b.0"), slices ("gpu.l2.0")
        std::string file;       // of a glob with wild cards the path goes in before the suffix
        mutable bool taken = false;  // some instance fits
    };
    std::vector<Entry> entries;
    std::uint64_t from = 0;  // ps
    std::uint64_t to = ~std::uint64_t{0};

    // Of `path`, an empty file where none is asked for. Different instances have different files.
    WaveWindow window(const std::string& path, std::uint64_t half_period) const;
};

// The objects that all modules of a run share.
struct RunContext {
    EventQueue& event_queue;
    LinePool& pool;
    Progress& progress;
    const Waves* waves = nullptr;
    std::uint64_t seed = 1;  // of the run
};

struct SwitchRequest {
    std::string module_name;  // unique within the system, legal in SystemC
    std::string path;         // full name, for reports
    SwitchSpec spec;
    unsigned ports = 0;
    RouteTable routes;
};

struct LinkRequest {
    std::string module_name;  // as above
    std::string path;         // "a~b"
    LinkSpec spec;
    std::uint64_t seed = 1;  // of its bit errors
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
    using LinkFactory = std::function<std::unique_ptr<LinkModel>(const RunContext&, const LinkRequest&)>;
    using GpuFactory = std::function<std::unique_ptr<Accelerator>(const RunContext&, const GpuRequest&)>;

    // With the built-in models.
    ModelRegistry();

    // Throw InputError when the kind has a model of that name. `text` is shown by `weft models`.
    void add_link(const std::string& name, const std::string& text, LinkFactory factory);
    void add_switch(const std::string& name, const std::string& text, SwitchFactory factory);
    void add_gpu(const std::string& name, const std::string& text, GpuFactory factory);

    // Throw InputError for an unknown name.
    const LinkFactory& link_factory(const std::string& name) const;
    const SwitchFactory& switch_factory(const std::string& name) const;
    const GpuFactory& gpu_factory(const std::string& name) const;

    // Waveforms that the next system is asked for.
    Waves waves;

    struct Entry {
        std::string kind;
        std::string name;
        std::string text;
    };
    std::vector<Entry> entries() const;
    std::map<std::string, std::vector<std::string>> names_by_kind() const;

private:
    std::map<std::string, std::pair<std::string, SwitchFactory>> switches_;
    std::map<std::string, std::pair<std::string, LinkFactory>> links_;
    std::map<std::string, std::pair<std::string, GpuFactory>> gpus_;
};

}  // namespace weft
