// Blocks of parameters without their types: what configuration, `weft models` and results read of a declaration, and the
// values that a module gets.
#pragma once

#include <memory>
#include <typeindex>
#include <typeinfo>

#include "base/parameter.h"

namespace weft {

struct BlockInfo {
    BlockTitle title;
    std::vector<std::string> models;               // that have it; empty: all that `title.owner` says
    std::string kind;                              // of these models in the registry
    std::vector<const ParameterInfo*> parameters;  // of a table that is never destroyed
    std::vector<std::uint64_t> defaults;
    std::type_index type = typeid(void);
    std::function<std::shared_ptr<const void>(const std::vector<std::uint64_t>&)> make;  // the Spec of these values
    std::function<std::uint64_t(const void* spec, std::size_t parameter)> read;

    const std::string& name() const { return title.name; }
    std::optional<std::size_t> find(std::string_view parameter) const;
    std::vector<std::string> parameter_names() const;
    // "l2.size"
    std::string path_of(std::size_t parameter) const;
    bool of_model(const std::string& model) const;
};

// The Spec that `values` (in the order of its table) stand for.
template <class Spec>
Spec spec_from(const std::vector<std::uint64_t>& values)
{
    Spec spec;
    std::size_t i = 0;
    for (const auto& entry : Spec::parameters().entries()) entry.set(spec, values[i++]);
    return spec;
}

template <class Spec>
BlockInfo block_info()
{
    BlockInfo info;
    info.title = Spec::parameters().title();
    info.type = typeid(Spec);
    const Spec defaults;
    for (const auto& entry : Spec::parameters().entries()) {
        info.parameters.push_back(&entry.info);
        info.defaults.push_back(entry.get(defaults));
    }
    info.make = [](const std::vector<std::uint64_t>& values) {
        return std::make_shared<const Spec>(spec_from<Spec>(values));
    };
    info.read = [](const void* spec, std::size_t parameter) {
        return Spec::parameters().entries()[parameter].get(*static_cast<const Spec*>(spec));
    };
    return info;
}

// Sentences about what is wrong with a declaration: a name that is empty, taken or no word, a default out of range, choices
// without names. Empty: nothing.
std::vector<std::string> declaration_problems(const BlockInfo& info);

// The values of all blocks of one module, each as its Spec. Copies share them.
class ParameterSet {
public:
    // Throws std::logic_error for a block that the module does not have.
    template <class Spec>
    const Spec& get() const
    {
        return *static_cast<const Spec*>(find(typeid(Spec)));
    }
    // By path, "switch.latency", in base units: needs no definition of the Spec. Throws std::logic_error for an unknown one.
    std::uint64_t value(std::string_view path) const;

    void put(std::shared_ptr<const BlockInfo> info, std::shared_ptr<const void> spec);
    // In place of the Spec of the same type, of which there is one.
    template <class Spec>
    void replace(const Spec& spec)
    {
        replace(typeid(Spec), std::make_shared<const Spec>(spec));
    }

private:
    struct Held {
        std::shared_ptr<const BlockInfo> info;
        std::shared_ptr<const void> spec;
    };
    struct Contents;

    const void* find(std::type_index type) const;
    void replace(std::type_index type, const std::shared_ptr<const void>& spec);

    // The contents are out of sight of plug-ins.
    std::shared_ptr<const Contents> contents_;
};

}  // namespace weft
