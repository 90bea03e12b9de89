#include "infragraph/blueprint.h"

#include <algorithm>

#include "infragraph/saturating.h"

namespace weft {

namespace {

constexpr int deepest_composition = 500;
constexpr std::uint64_t longest_index = 10;  // digits of an int32

}  // namespace

Blueprints::Blueprints(const Infrastructure& infrastructure, Findings& findings)
    : infrastructure_(infrastructure), findings_(findings), blueprints_(infrastructure.devices.size()),
      states_(infrastructure.devices.size(), State::untouched)
{
    const auto count = static_cast<std::uint32_t>(infrastructure_.devices.size());
    // The last device of a name is the one.
    for (std::uint32_t i = 0; i < count; ++i) index_[infrastructure_.devices[i].name] = i;
    for (std::uint32_t i = 0; i < count; ++i)
        if (index_[infrastructure_.devices[i].name] == i) lay_out(i, 1);
}

std::uint32_t Blueprints::find(std::string_view device) const
{
    const auto found = index_.find(device);
    return found == index_.end() ? Part::leaf : found->second;
}

std::vector<std::string> Blueprints::names() const
{
    std::vector<std::string> names;
    for (const Device& device : infrastructure_.devices) names.push_back(device.name);
    return names;
}

// False when the device is composed of itself or nested too deeply; that is reported once.
bool Blueprints::lay_out(std::uint32_t i, int depth)
{
    if (states_[i] == State::done) return true;
    if (states_[i] == State::refused) return false;
    const Device& device = infrastructure_.devices[i];
    if (states_[i] == State::open) {
        findings_.refuse(device.line, "the device " + in_quotes(device.name) + " contains itself",
            "a composition without recursion");
        return false;
    }
    if (depth > deepest_composition) {
        findings_.refuse(device.line, "the composition of devices is nested too deeply",
            "at most " + std::to_string(deepest_composition) + " levels");
        return false;
    }
    states_[i] = State::open;
    Blueprint& blueprint = blueprints_[i];
    blueprint.device = &device;
    for (const Component& component : device.components) add_part(blueprint, component);
    for (Part& part : blueprint.parts) {
        if (part.component->choice != Choice::device || part.broken) continue;
        const std::uint32_t child = find(part.component->name);
        if (child == Part::leaf) {
            findings_.refuse(part.component->line,
                "component " + in_quotes(part.component->name) + " of choice 'device' does not name a device",
                findings_.nearest("the name of a device", part.component->name, [&] { return names(); }));
            part.broken = true;
        } else if (!lay_out(child, depth + 1)) {
            part.broken = true;
        } else {
            part.blueprint = child;
            blueprint.depth = std::max(blueprint.depth, blueprints_[child].depth + 1);
        }
    }
    if (blueprint.depth > deepest_composition) {
        findings_.refuse(device.line, "the composition of devices is nested too deeply",
            "at most " + std::to_string(deepest_composition) + " levels");
        states_[i] = State::refused;
        return false;
    }
    place_parts(blueprint);
    states_[i] = State::done;
    order_.push_back(i);
    return true;
}

// A repeated component takes the place of the first and keeps its surplus nodes.
void Blueprints::add_part(Blueprint& blueprint, const Component& component)
{
    const auto [found, added] =
        blueprint.part_of.emplace(component.name, static_cast<std::uint32_t>(blueprint.parts.size()));
    if (added) blueprint.parts.emplace_back();
    Part& part = blueprint.parts[found->second];
    part.component = &component;
    part.count = static_cast<std::uint64_t>(component.count);
    part.placed = std::max(part.placed, part.count);
    part.broken = component.broken;
}

void Blueprints::place_parts(Blueprint& blueprint)
{
    for (Part& part : blueprint.parts) {
        part.offset = blueprint.size;
        std::uint64_t one_name = part.component->name.size() + 2 + longest_index;
        if (part.blueprint != Part::leaf) {
            const Blueprint& child = blueprints_[part.blueprint];
            part.stride = child.size;
            one_name = saturating_add(child.name_bytes, saturating_multiply(child.size, one_name));
        }
        blueprint.size = saturating_add(blueprint.size, saturating_multiply(part.placed, part.stride));
        blueprint.name_bytes = saturating_add(blueprint.name_bytes, saturating_multiply(part.placed, one_name));
    }
}

}  // namespace weft
