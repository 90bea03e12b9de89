// A plug-in whose model declares parameters under the name of a block of Weft.
#include <weft/plugin.h>

namespace {

struct Spec {
    std::uint64_t size = 1;

    static const weft::ParameterTable<Spec>& parameters()
    {
        static const weft::ParameterTable<Spec> table({"l2", weft::BlockOwner::forwarder, "mine"},
            {weft::count_parameter("size", &Spec::size, {1, 2}, "of it")});
        return table;
    }
};

}  // namespace

WEFT_PLUGIN(registry) { registry.add_switch(weft::ModelDeclaration("mine", "mine").with_parameters<Spec>(), nullptr); }
