// A plug-in whose model declares a parameter with a default out of its range.
#include <weft/plugin.h>

namespace {

struct Spec {
    std::uint64_t size = 7;

    static const weft::ParameterTable<Spec>& parameters()
    {
        static const weft::ParameterTable<Spec> table({"mine", weft::BlockOwner::forwarder, "mine"},
            {weft::count_parameter("size", &Spec::size, {1, 2}, "of it")});
        return table;
    }
};

}  // namespace

WEFT_PLUGIN(registry) { registry.add_switch(weft::ModelDeclaration("mine", "mine").with_parameters<Spec>(), nullptr); }
