// The arguments of a model factory, and the interface to register models. A plug-in sees only this part of the
// platform.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/interface/accelerator.h"
#include "platform/assembly/model_declaration.h"
#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/protocol/line_pool.h"
#include "tlm_interconnect/switch/switch_model.h"

namespace weft {

class Progress;
struct Waves;

// What every module of a run shares.
struct RunContext {
    EventQueue& event_queue;
    LinePool& pool;
    Progress& progress;
    const Waves* waves = nullptr;
    std::uint64_t seed = 1;  // of the run
};

// `parameters` holds the block of the kind and that of the model: parameters.value("switch.latency"), in base units, or
// parameters.get<MySpec>().
struct SwitchRequest {
    std::string module_name;  // unique within the system, legal in SystemC
    std::string path;         // full name, for reports
    ParameterSet parameters;
    unsigned ports = 0;
    RouteTable routes;
};

struct LinkRequest {
    std::string module_name;  // as above
    std::string path;         // "a~b"
    ParameterSet parameters;
    std::uint64_t seed = 1;  // of its bit errors
};

struct GpuRequest {
    std::string module_name;
    ParameterSet parameters;
    Accelerator::Wiring wiring;
};

class ModelRegistrar {
public:
    using SwitchFactory = std::function<std::unique_ptr<SwitchModel>(const RunContext&, const SwitchRequest&)>;
    using LinkFactory = std::function<std::unique_ptr<LinkModel>(const RunContext&, const LinkRequest&)>;
    using GpuFactory = std::function<std::unique_ptr<Accelerator>(const RunContext&, const GpuRequest&)>;
    using MemoryFactory = std::function<std::unique_ptr<MemoryModel>(const RunContext&, const MemoryRequest&)>;
    using SliceFactory = std::function<std::unique_ptr<SliceModel>(const RunContext&, const SliceRequest&)>;

    // Throw InputError when the kind has a model of that name, and for a declaration that is wrong.
    virtual void add_switch(ModelDeclaration declaration, SwitchFactory factory) = 0;
    virtual void add_link(ModelDeclaration declaration, LinkFactory factory) = 0;
    virtual void add_gpu(ModelDeclaration declaration, GpuFactory factory) = 0;
    // The DRAM of an accelerator: hbm.model chooses among the registered ones.
    virtual void add_memory(ModelDeclaration declaration, MemoryFactory factory) = 0;
    // A slice of an L2: l2.model chooses among the registered ones.
    virtual void add_slice(ModelDeclaration declaration, SliceFactory factory) = 0;

    // With a name and a line of text alone.
    void add_switch(const std::string& name, const std::string& text, SwitchFactory factory)
    {
        add_switch(ModelDeclaration(name, text), std::move(factory));
    }
    void add_link(const std::string& name, const std::string& text, LinkFactory factory)
    {
        add_link(ModelDeclaration(name, text), std::move(factory));
    }
    void add_gpu(const std::string& name, const std::string& text, GpuFactory factory)
    {
        add_gpu(ModelDeclaration(name, text), std::move(factory));
    }
    void add_memory(const std::string& name, const std::string& text, MemoryFactory factory)
    {
        add_memory(ModelDeclaration(name, text), std::move(factory));
    }
    void add_slice(const std::string& name, const std::string& text, SliceFactory factory)
    {
        add_slice(ModelDeclaration(name, text), std::move(factory));
    }

protected:
    ~ModelRegistrar() = default;
};

}  // namespace weft
