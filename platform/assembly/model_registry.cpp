#include "platform/assembly/model_registry.h"

#include "platform/assembly/rtl_models.h"
#include "platform/assembly/rtl_models.h"
#include "tlm_interconnect/card/network_card.h"
#include "tlm_interconnect/switch/crossbar_switch.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "platform/configuration/glob.h"

namespace weft {

namespace {

template <class Map>
const typename Map::mapped_type::second_type& chosen(const Map& models, const std::string& kind, const std::string& name)
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

template <class Map, class Factory>
void add(Map& models, const std::string& kind, const std::string& name, const std::string& text, Factory factory)
{
    if (name.empty()) throw InputError("", 0, "a model of kind " + kind + " has an empty name", "a name");
    if (!models.emplace(name, typename Map::mapped_type(text, std::move(factory))).second)
        throw InputError("", 0, "the name '" + name + "' of kind " + kind + " is taken", "another name");
}

}  // namespace

WaveWindow Waves::window(const std::string& path, std::uint64_t half_period) const
{
    for (const Entry& entry : entries) {
        if (!glob_matches(entry.instances, path)) continue;
        entry.taken = true;
        WaveWindow out{entry.file, from, to, half_period};
        if (has_glob(entry.instances)) {
            const std::size_t dot = entry.file.rfind('.');
            const std::size_t at = dot == std::string::npos || entry.file.find('/', dot) != std::string::npos ? entry.file.size() : dot;
            out.file = entry.file.substr(0, at) + "." + path + entry.file.substr(at);
        }
        return out;
    }
    return {};
}

ModelRegistry::ModelRegistry()
{
    add_switch("switch", "input-queued, virtual output queues, round robin per output",
        [](const RunContext& context, const SwitchRequest& request) {
            return make_switch(request.module_name.c_str(), context.event_queue, request.path, request.spec,
                request.ports, request.routes);
        });
    add_switch("crossbar", "input-queued, clocked, scheduled crossbar (iSLIP and others)",
        [](const RunContext& context, const SwitchRequest& request) {
            return std::make_unique<CrossbarSwitch>(request.module_name.c_str(), context.event_queue, request.path,
                request.spec, request.ports, request.routes);
        });
    add_link("link", "packets, frames, credits, retry: a wire that is booked",
        [](const RunContext& context, const LinkRequest& request) {
            return make_link(request.module_name.c_str(), context.event_queue, request.path, request.spec, request.seed);
        });
    add_gpu("gpu", "compute units, copy engines, on-die network, L2 slices, memory-side cache, HBM channels, fabric ports",
        [](const RunContext& context, const GpuRequest& request) {
            return std::make_unique<Gpu>(request.module_name.c_str(), context.event_queue, context.pool, context.progress,
                request.gpu, request.l1, request.l2, request.hbm, request.wiring, request.memory_side,
                request.network, request.copy, request.bulk);
        });
    add_gpu("replay", "fabric ports and a profile of timed traffic (GLOB=replay:FILE), no units, L2 or HBM",
        [](const RunContext& context, const GpuRequest& request) {
            return std::make_unique<ReplayGpu>(request.module_name.c_str(), context.event_queue, context.pool,
                context.progress, request.gpu, request.l2, request.hbm.capacity, request.wiring);
        });
    add_rtl_models(*this);
}

void ModelRegistry::add_switch(const std::string& name, const std::string& text, SwitchFactory factory)
{
    add(switches_, "switch", name, text, std::move(factory));
}

void ModelRegistry::add_link(const std::string& name, const std::string& text, LinkFactory factory)
{
    add(links_, "link", name, text, std::move(factory));
}

void ModelRegistry::add_gpu(const std::string& name, const std::string& text, GpuFactory factory)
{
    add(gpus_, "gpu", name, text, std::move(factory));
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

std::vector<ModelRegistry::Entry> ModelRegistry::entries() const
{
    std::vector<Entry> out;
    for (const auto& [name, model] : gpus_) out.push_back({"gpu", name, model.first});
    for (const auto& [name, model] : links_) out.push_back({"link", name, model.first});
    for (const auto& [name, model] : switches_) out.push_back({"switch", name, model.first});
    return out;
}

std::map<std::string, std::vector<std::string>> ModelRegistry::names_by_kind() const
{
    std::map<std::string, std::vector<std::string>> out;
    for (const Entry& entry : entries()) out[entry.kind].push_back(entry.name);
    return out;
}

}  // namespace weft
