#include "platform/assembly/model_registry.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "platform/assembly/rtl_models.h"
#include "platform/configuration/parameters/glob.h"
#include "tlm_interconnect/card/network_card.h"
#include "tlm_interconnect/switch/crossbar_switch.h"
#include <algorithm>
#include "gpu/copies/copy_statistics.h"
#include "gpu/network/network_statistics.h"
#include "gpu/replay/replay_statistics.h"
#include "gpu/units/unit_statistics.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/memory_statistics.h"
#include "tlm_interconnect/link/link_statistics.h"
#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

namespace {

template <class Map>
const typename Map::mapped_type::second_type& chosen(const Map& models, const std::string& kind,
    const std::string& name)
{
    const auto found = models.find(name);
    if (found != models.end()) return found->second.second;
    std::vector<std::string> names;
    names.reserve(models.size());
    for (const auto& entry : models) names.push_back(entry.first);
    const std::string nearest = nearest_name(name, names);
    throw InputError("", 0, "no model '" + name + "' of kind " + kind,
        "one of `weft models`" + (nearest.empty() ? std::string() : " (did you mean '" + nearest + "'?)"));
}

// What the parts of a GPU write; `weft models gpu` shows it.
ModelDeclaration gpu_declaration()
{
    ModelDeclaration out("gpu",
        "compute units, copy engines, on-die network, L2 slices, memory-side cache, HBM channels, fabric ports");
    out.with_ports("link_out(p) and link_in(p) of fabric port p, for links");
    out.with_module({"gpu", "NODE.units", compute_unit_statistics(), {}});
    out.with_module({"network", "NODE.network", network_statistics(), {}});
    out.with_module({"l2", "NODE.l2", l2_slice_statistics(), {}});
    out.with_module({"memory_side", "NODE.memory_side", l2_slice_statistics(), {}});
    out.with_module({"hbm", "NODE.hbm", hbm_statistics(), {}});
    out.with_module({"copy", "NODE.copy", copy_engine_statistics(), {}});
    out.with_module({"bulk", "NODE.bulk", bulk_engine_statistics(), {}});
    out.with_module({"port", "NODE.port.N", fabric_port_statistics(), {}});
    return out;
}

ModelDeclaration replay_declaration()
{
    ModelDeclaration out("replay",
        "fabric ports and a profile of timed traffic (GLOB=replay:FILE), without compute units, L2 or HBM");
    out.with_ports("the ports of model gpu");
    out.with_module({"replay", "NODE.replay", replay_statistics(), {}});
    out.with_module({"port", "NODE.port.N", fabric_port_statistics(), {}});
    return out;
}

}  // namespace

std::string kind_in_results(const std::string& kind)
{
    return kind == "slice" ? "l2" : kind == "memory" ? "hbm" : kind;
}

WaveWindow Waves::window(const std::string& path, std::uint64_t half_period) const
{
    WaveWindow out;
    for (const Entry& entry : entries) {
        if (!glob_matches(entry.instances, path)) continue;
        entry.fits.push_back(path);
        if (!out.file.empty()) continue;
        entry.taken = true;
        out = {entry.file, from, to, half_period};
        if (has_glob(entry.instances)) {
            const std::size_t dot = entry.file.rfind('.');
            const std::size_t at =
                dot == std::string::npos || entry.file.find('/', dot) != std::string::npos ? entry.file.size() : dot;
            out.file = entry.file.substr(0, at) + "." + path + entry.file.substr(at);
            if (claims_.count(path) == 0) claims_[path] = claim_output_file(out.file);
        }
    }
    return out;
}

namespace {

[[noreturn]] void refuse_wave(const std::string& instances)
{
    throw InputError("", 0, "--wave " + instances + ": no RTL block has that name",
        "the path of a module that runs as RTL, such as dgx.0.nvsw.0 with --model '*.nvsw.*=rtl_switch'");
}

}  // namespace

void Waves::require_names(const std::vector<std::string>& paths) const
{
    for (const Entry& entry : entries) {
        NumberedGlob glob(entry.instances);
        bool fits = false;
        for (const std::string& path : paths) fits = glob.matches(path) || fits;
        const std::string missing = glob.missing();
        if (!fits || !missing.empty()) refuse_wave(fits ? missing : entry.instances);
    }
}

void Waves::check_taken() const
{
    for (const Entry& entry : entries) {
        NumberedGlob glob(entry.instances);
        for (const std::string& path : entry.fits) glob.matches(path);
        const std::string missing = glob.missing();
        if (entry.taken && missing.empty()) continue;
        if (!entry.fits.empty() && missing.empty())
            throw InputError("", 0,
                "--wave " + entry.instances + ": an earlier --wave has every RTL block of that name",
                "one --wave for each block, patterns last");
        refuse_wave(entry.fits.empty() ? entry.instances : missing);
    }
}

ModelRegistry::ModelRegistry()
{
    add_switch(ModelDeclaration("switch", "input-queued, virtual output queues, round robin per output")
                   .with_ports(switch_ports())
                   .with_statistics(switch_statistics())
                   .without_kernel()
                   .without_rtl(),
        [](const RunContext& context, const SwitchRequest& request) {
            return make_switch(request.module_name.c_str(), context.event_queue, request.path,
                request.parameters.get<SwitchSpec>(), request.ports, request.routes);
        });
    add_switch(ModelDeclaration("crossbar", "input-queued, clocked, scheduled crossbar (iSLIP and others)")
                   .with_ports(switch_ports())
                   .with_statistics(crossbar_switch_statistics())
                   .without_kernel()
                   .without_rtl(),
        [](const RunContext& context, const SwitchRequest& request) {
            return std::make_unique<CrossbarSwitch>(request.module_name.c_str(), context.event_queue, request.path,
                request.parameters.get<SwitchSpec>(), request.ports, request.routes);
        });
    add_link(
        ModelDeclaration("link", "packets, frames, credits and retry, with a reservation of wire time for each packet")
            .with_ports(link_ports())
            .with_statistics(link_statistics())
            .without_kernel()
            .without_rtl(),
        [](const RunContext& context, const LinkRequest& request) {
            return make_link(request.module_name.c_str(), context.event_queue, request.path,
                request.parameters.get<LinkSpec>(), request.seed);
        });
    add_gpu(gpu_declaration(), [](const RunContext& context, const GpuRequest& request) {
        return std::make_unique<Gpu>(request.module_name.c_str(), context.event_queue, context.pool, context.progress,
            request.parameters, request.wiring);
    });
    add_gpu(replay_declaration(), [](const RunContext& context, const GpuRequest& request) {
        return std::make_unique<ReplayGpu>(request.module_name.c_str(), context.event_queue, context.pool,
            context.progress, request.parameters.get<GpuSpec>(), request.parameters.get<L2Spec>(),
            request.parameters.get<HbmSpec>().capacity, request.wiring);
    });
    add_slice(
        ModelDeclaration("slice", "tags, fills and write-backs of a set-associative slice, with flags and monitors")
            .with_ports(slice_ports())
            .with_statistics(l2_slice_statistics())
            .without_kernel()
            .without_rtl(),
        [](const RunContext& context, const SliceRequest& request) {
            return std::make_unique<L2Slice>(context.event_queue, request);
        });
    add_memory(ModelDeclaration("hbm", "channels with banks, rows, refresh and a scheduler each")
                   .with_ports("target(s) of cache slice s")
                   .with_statistics(hbm_statistics())
                   .without_kernel(),
        [](const RunContext& context, const MemoryRequest& request) {
            return std::make_unique<Hbm>(context.event_queue, request);
        });
    add_rtl_models(*this);
}

namespace {

const std::string& path_of(const GpuRequest& request) { return request.wiring.path; }
template <class Request>
const std::string& path_of(const Request& request)
{
    return request.path;
}

// An error of a factory names its model and the module.
template <class Made, class Request>
std::function<std::unique_ptr<Made>(const RunContext&, const Request&)> with_name(const std::string& name,
    std::function<std::unique_ptr<Made>(const RunContext&, const Request&)> make)
{
    const auto refused = [name](const Request& request, const std::string& why) {
        return InputError("", 0, "model " + name + " of " + path_of(request) + " was not made: " + why, "a module");
    };
    return [make = std::move(make), refused](const RunContext& context, const Request& request) {
        try {
            std::unique_ptr<Made> made = make(context, request);
            if (made != nullptr) return made;
        } catch (const InputError&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            throw refused(request, error.what());
        }
        throw refused(request, "the factory has returned no module");
    };
}

}  // namespace

template <class Factory>
void ModelRegistry::add(Models<Factory>& models, const std::string& kind, BlockOwner owner,
    ModelDeclaration declaration, Factory factory)
{
    const std::string name = declaration.name();
    if (name.empty()) throw InputError("", 0, "a model of kind " + kind + " has an empty name", "a name");
    if (models.count(name) > 0)
        throw InputError("", 0, "the name '" + name + "' of kind " + kind + " is taken", "another name");
    if (declaration.parameters() != nullptr) add_block(kind, owner, declaration);
    if (declaration.reads()) {
        BlockTable::Reads reads = reads_;
        reads[name] = {declaration.reads()->begin(), declaration.reads()->end()};
        blocks_ = BlockTable::built_in()->with(own_blocks_, reads);
        reads_ = std::move(reads);
    }
    models.emplace(name, std::make_pair(std::move(declaration), with_name(name, std::move(factory))));
}

// Models that declare the same Spec share the block.
void ModelRegistry::add_block(const std::string& kind, BlockOwner owner, const ModelDeclaration& declaration)
{
    BlockInfo info = *declaration.parameters();
    if (info.title.owner != owner)
        throw InputError("", 0,
            "the parameters '" + info.name() + "' of model '" + declaration.name() + "' are not the parameters of a " +
                kind,
            owner == BlockOwner::forwarder  ? "BlockOwner::forwarder"
                : owner == BlockOwner::link ? "BlockOwner::link"
                                            : "BlockOwner::endpoint");
    info.models = {declaration.name()};
    info.kind = kind;
    std::vector<std::shared_ptr<const BlockInfo>> all;
    for (const std::shared_ptr<const BlockInfo>& known : own_blocks_) {
        if (known->type == info.type && known->name() == info.name() && known->kind == kind)
            info.models.insert(info.models.begin(), known->models.begin(), known->models.end());
        else
            all.push_back(known);
    }
    all.push_back(std::make_shared<const BlockInfo>(std::move(info)));
    blocks_ = BlockTable::built_in()->with(all, reads_);
    own_blocks_ = std::move(all);
}

void ModelRegistry::add_switch(ModelDeclaration declaration, SwitchFactory factory)
{
    add(switches_, "switch", BlockOwner::forwarder, std::move(declaration), std::move(factory));
}

void ModelRegistry::add_link(ModelDeclaration declaration, LinkFactory factory)
{
    add(links_, "link", BlockOwner::link, std::move(declaration), std::move(factory));
}

void ModelRegistry::add_gpu(ModelDeclaration declaration, GpuFactory factory)
{
    add(gpus_, "gpu", BlockOwner::endpoint, std::move(declaration), std::move(factory));
}

void ModelRegistry::add_memory(ModelDeclaration declaration, MemoryFactory factory)
{
    add(memories_, "memory", BlockOwner::endpoint, std::move(declaration), std::move(factory));
}

void ModelRegistry::add_slice(ModelDeclaration declaration, SliceFactory factory)
{
    add(slices_, "slice", BlockOwner::endpoint, std::move(declaration), std::move(factory));
}

const ModelRegistry::SwitchFactory& ModelRegistry::switch_factory(const std::string& name) const
{
    return chosen(switches_, "switch", name);
}

const ModelRegistry::LinkFactory& ModelRegistry::link_factory(const std::string& name) const
{
    return chosen(links_, "link", name);
}

const ModelRegistry::GpuFactory& ModelRegistry::gpu_factory(const std::string& name) const
{
    return chosen(gpus_, "gpu", name);
}

const ModelRegistry::MemoryFactory& ModelRegistry::memory_factory(const std::string& name) const
{
    return chosen(memories_, "memory", name);
}

const ModelRegistry::SliceFactory& ModelRegistry::slice_factory(const std::string& name) const
{
    return chosen(slices_, "slice", name);
}

std::vector<ModelRegistry::Entry> ModelRegistry::entries() const
{
    std::vector<Entry> out;
    for (const auto& [name, model] : gpus_) out.push_back({"gpu", &model.first});
    for (const auto& [name, model] : links_) out.push_back({"link", &model.first});
    for (const auto& [name, model] : memories_) out.push_back({"memory", &model.first});
    for (const auto& [name, model] : slices_) out.push_back({"slice", &model.first});
    for (const auto& [name, model] : switches_) out.push_back({"switch", &model.first});
    return out;
}

std::map<std::string, std::vector<std::string>> ModelRegistry::names_by_kind() const
{
    std::map<std::string, std::vector<std::string>> out;
    for (const Entry& entry : entries()) out[entry.kind].push_back(entry.declaration->name());
    return out;
}

bool ModelRegistry::needs_kernel(const std::string& kind, const std::string& model) const
{
    for (const Entry& entry : entries())
        if (entry.kind == kind && entry.declaration->name() == model) return entry.declaration->needs_kernel();
    return true;
}

const StatisticTable* ModelRegistry::statistics_of(const std::string& kind, const std::string& model) const
{
    const StatisticTable* of_kind = nullptr;
    for (const Entry& entry : entries()) {
        const ModelDeclaration& declaration = *entry.declaration;
        if (kind_in_results(entry.kind) == kind && declaration.name() == model) {
            if (declaration.statistics()) return &*declaration.statistics();
            if (entry.kind != kind)
                return nullptr;  // a slice or memory that declares none is not held to those of ours
        }
        for (const ModelDeclaration::Module& module : declaration.modules()) {
            if (module.kind != kind) continue;
            if (std::find(module.models.begin(), module.models.end(), model) != module.models.end())
                return &module.statistics;
            if (module.models.empty() && of_kind == nullptr) of_kind = &module.statistics;
        }
    }
    // The parts of an accelerator are the same in every model that has them.
    return of_kind;
}

}  // namespace weft
