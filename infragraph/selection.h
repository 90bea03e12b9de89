// Turns an endpoint expression into the ordered list of the nodes it selects.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infragraph/blueprint.h"
#include "infragraph/endpoint.h"

namespace weft {

// The instances of an infrastructure, as parts of one outermost level.
struct InstanceTable {
    std::vector<Part> parts;
    std::unordered_map<std::string_view, std::uint32_t> part_of;
    std::vector<std::string> names;
};

// Names outside the inventory that lenient documents bring up, numbered in order of appearance.
class Strays {
public:
    std::uint32_t number_of(const std::string& name);
    std::vector<std::string> take_names() { return std::move(names_); }
    const std::vector<std::string>& names() const { return names_; }

private:
    std::map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> names_;
};

struct Selection {
    bool usable = false;                 // false: refused, or rests on something that was
    std::vector<std::uint32_t> targets;  // offsets, or numbers of strays with Blueprint::stray_bit
    std::string type;                    // of the selected component
};

class EndpointSelector {
public:
    // `limit` bounds the length of one list.
    EndpointSelector(const Blueprints& blueprints, Findings& findings, std::uint64_t limit)
        : blueprints_(blueprints), findings_(findings), limit_(limit)
    {
    }

    // Offsets relative to one instance of `blueprint`.
    Selection in_device(const Endpoint& endpoint, const Blueprint& blueprint, Strays& strays);
    // Offsets in the whole graph.
    Selection in_infrastructure(const Endpoint& endpoint, const InstanceTable& instances, Strays& strays);

private:
    // The places reached so far; names are kept only where something leaves the inventory.
    struct Places {
        std::vector<std::uint64_t> offsets{0};
        std::vector<std::string> names;
        bool named = false;
    };
    struct Step {
        const Part* part;
        IndexRange range;
        std::string_view name;
    };

    bool parse(const std::string& expression, int line, std::vector<PathElement>& path);
    // False when the selection cannot be used.
    bool check_range(const Step& step, int line, const std::string& owner, bool& empty, bool& stray);
    Selection walk(const std::vector<PathElement>& path, std::size_t first, const Blueprint& blueprint,
        std::vector<Step> steps, int line, bool empty, bool stray, Strays& strays);
    static void advance(Places& places, const Step& step);

    const Blueprints& blueprints_;
    Findings& findings_;
    std::uint64_t limit_;
};

}  // namespace weft
