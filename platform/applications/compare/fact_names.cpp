#include "platform/applications/compare/facts.h"

namespace weft {

const std::vector<std::string>& fact_group_names()
{
    static const std::vector<std::string> names{"checks", "setup", "parameters", "times", "bandwidths", "causes",
        "links", "queues", "errors", "modules"};
    return names;
}

const char* name_of(FactGroup group) { return fact_group_names()[static_cast<std::size_t>(group)].c_str(); }

bool is_judged(FactGroup group)
{
    return group == FactGroup::times || group == FactGroup::bandwidths || group == FactGroup::causes ||
        group == FactGroup::links;
}

std::string Fact::name() const
{
    std::string out = name_of(group);
    if (!element.empty()) out += "." + element;
    if (!field.empty()) out += "." + field;
    return out;
}

}  // namespace weft
