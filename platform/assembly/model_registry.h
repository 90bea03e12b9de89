// Models by kind and name: what a node of the document can be instantiated as.
//
// "gpu", "slice" (of an L2), "memory" (DRAM), "switch" and "link" are the kinds. A model registers its declaration and a factory under its
// kind. `--model GLOB=NAME` and `bind:` in a system file choose among those of nodes by name; the parameters link.model,
// l2.model and hbm.model choose among links, slices and memories.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/read_files.h"
#include "gpu/gpu.h"
#include "gpu/replay/replay_gpu.h"
#include "platform/assembly/model_requests.h"
#include "platform/configuration/parameters/blocks.h"
#include "rtl/common/wave_window.h"
#include "tlm_interconnect/switch/switch.h"

namespace weft {

// Waveforms of blocks of RTL, by instance: the first entry whose glob fits.
struct Waves {
    struct Entry {
        std::string instances;       // glob over paths of switches, ends of links ("a~b.0"), slices ("gpu.l2.0")
        std::string file;            // of a glob with wild cards the path goes in before the suffix
        mutable bool taken = false;  // some instance fits that no earlier entry has
        mutable std::vector<std::string> fits{};  // instances
    };
    std::vector<Entry> entries;
    std::uint64_t from = 0;  // ps
    std::uint64_t to = ~std::uint64_t{0};

    // Of `path`, an empty file where none is asked for. Different instances have different files. Throws InputError where the
    // file that a pattern makes is an input of the command or another output.
    WaveWindow window(const std::string& path, std::uint64_t half_period) const;

    // Throws InputError for an entry that fits none of these paths, or names a number that none of them has.
    void require_names(const std::vector<std::string>& paths) const;

    // Throws InputError for an entry that no block of RTL takes.
    void check_taken() const;

private:
    mutable std::map<std::string, OutputClaim> claims_;  // of files that patterns make, by path
};

// The kind that results give to modules of a kind of models. They list the slices of an L2 as one module of kind "l2", and a memory
// as kind "hbm"; other kinds have the same name in both.
std::string kind_in_results(const std::string& kind);

class ModelRegistry final : public ModelRegistrar {
public:
    // With the built-in models.
    ModelRegistry();
    virtual ~ModelRegistry() = default;

    using ModelRegistrar::add_gpu;
    using ModelRegistrar::add_link;
    using ModelRegistrar::add_memory;
    using ModelRegistrar::add_slice;
    using ModelRegistrar::add_switch;
    void add_link(ModelDeclaration declaration, LinkFactory factory) override;
    void add_switch(ModelDeclaration declaration, SwitchFactory factory) override;
    void add_gpu(ModelDeclaration declaration, GpuFactory factory) override;
    void add_memory(ModelDeclaration declaration, MemoryFactory factory) override;
    void add_slice(ModelDeclaration declaration, SliceFactory factory) override;

    // Throw InputError for an unknown name.
    const LinkFactory& link_factory(const std::string& name) const;
    const SwitchFactory& switch_factory(const std::string& name) const;
    const GpuFactory& gpu_factory(const std::string& name) const;
    const MemoryFactory& memory_factory(const std::string& name) const;
    const SliceFactory& slice_factory(const std::string& name) const;

    // Waveforms that the next system is asked for.
    Waves waves;

    struct Entry {
        std::string kind;
        const ModelDeclaration* declaration;
    };
    // By kind, then name.
    std::vector<Entry> entries() const;
    std::map<std::string, std::vector<std::string>> names_by_kind() const;

    // Whether a model may use processes, events and time of the SystemC kernel (ModelDeclaration::without_kernel).
    bool needs_kernel(const std::string& kind, const std::string& model) const;

    // The blocks of parameters of Weft and those of models.
    const std::shared_ptr<const BlockTable>& blocks() const { return blocks_; }

    // The statistics that modules of `kind` (as results name it) and of model `model` declare; null: they declare none.
    const StatisticTable* statistics_of(const std::string& kind, const std::string& model) const;

private:
    template <class Factory>
    using Models = std::map<std::string, std::pair<ModelDeclaration, Factory>>;

    template <class Factory>
    void add(Models<Factory>& models, const std::string& kind, BlockOwner owner, ModelDeclaration declaration,
        Factory factory);
    void add_block(const std::string& kind, BlockOwner owner, const ModelDeclaration& declaration);

    Models<SwitchFactory> switches_;
    Models<LinkFactory> links_;
    Models<GpuFactory> gpus_;
    Models<MemoryFactory> memories_;
    Models<SliceFactory> slices_;
    std::vector<std::shared_ptr<const BlockInfo>> own_blocks_;
    BlockTable::Reads reads_;  // of models that declare them
    std::shared_ptr<const BlockTable> blocks_ = BlockTable::built_in();
};

}  // namespace weft
