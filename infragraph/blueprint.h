// Devices laid out for expansion: every leaf below a device has a fixed offset from the device's first
// node, so that an endpoint is arithmetic and no name is ever looked up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infragraph/document.h"

namespace weft {

// One component of a device, or an instance of the infrastructure, as something with indices.
struct Part {
    static constexpr std::uint32_t leaf = 0xffffffffU;

    const Component* component = nullptr;  // nullptr for an instance
    std::uint32_t blueprint = leaf;        // of a composed device
    std::uint64_t count = 0;               // what slices refer to
    std::uint64_t placed = 0;              // how many there are; more than `count` after a merge only
    std::uint64_t offset = 0;              // of the first one's first node
    std::uint64_t stride = 1;              // nodes of one
    bool broken = false;
};

struct RelativeEdge {
    std::uint32_t a = 0;  // offset, or one of `strays` with stray_bit
    std::uint32_t b = 0;
    std::uint32_t kind = 0;
    int line = 0;
};

struct Blueprint {
    static constexpr std::uint32_t stray_bit = 0x80000000U;

    const Device* device = nullptr;
    std::vector<Part> parts;
    std::unordered_map<std::string_view, std::uint32_t> part_of;
    std::uint64_t size = 0;        // nodes of one instance, nested devices included
    std::uint64_t name_bytes = 0;  // of their names, relative to the instance
    std::uint64_t edge_total = 0;  // definitions of edges in one instance
    int depth = 1;
    std::vector<RelativeEdge> edges;
    std::vector<std::string> strays;  // relative names outside the inventory (lenient)
    std::uint64_t stray_total = 0;    // in one instance, nested devices included
};

class Blueprints {
public:
    Blueprints(const Infrastructure& infrastructure, Findings& findings);

    // Indices of the devices, each after those it is composed of. Without the ones that are defined away.
    const std::vector<std::uint32_t>& order() const { return order_; }
    Blueprint& at(std::uint32_t i) { return blueprints_[i]; }
    const Blueprint& at(std::uint32_t i) const { return blueprints_[i]; }
    std::uint32_t find(std::string_view device) const;  // Part::leaf when unknown
    std::vector<std::string> names() const;

private:
    enum class State : std::uint8_t { untouched, open, done, refused };

    bool lay_out(std::uint32_t i, int depth);
    void add_part(Blueprint& blueprint, const Component& component);
    void place_parts(Blueprint& blueprint);

    const Infrastructure& infrastructure_;
    Findings& findings_;
    std::vector<Blueprint> blueprints_;
    std::vector<State> states_;
    std::unordered_map<std::string_view, std::uint32_t> index_;
    std::vector<std::uint32_t> order_;
};

}  // namespace weft
