#include "infragraph/selection.h"

#include <algorithm>

#include "infragraph/saturating.h"

namespace weft {

namespace {

constexpr std::uint64_t most_strays = 100'000;
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

std::vector<std::string> component_names(const Blueprint& blueprint)
{
    std::vector<std::string> names;
    for (const Part& part : blueprint.parts) names.push_back(part.component->name);
    return names;
}

std::string device_text(const Blueprint& blueprint) { return "device " + in_quotes(blueprint.device->name); }

}  // namespace

std::uint32_t Strays::number_of(const std::string& name)
{
    const auto [found, added] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (added) names_.push_back(name);
    return found->second;
}

bool EndpointSelector::parse(const std::string& expression, int line, std::vector<PathElement>& path)
{
    std::string problem;
    if (parse_path(expression, path, problem)) return true;
    findings_.refuse(line, problem, "names joined by dots, each with an optional [k], [a:b] or [a:b:step]");
    return false;
}

bool EndpointSelector::check_range(const Step& step, int line, const std::string& owner, bool& empty, bool& stray)
{
    if (step.part->broken) return false;
    const std::string range = step.part->count == 0 ? "an element that exists (its count is 0)"
                                                    : "indices from 0 to " + std::to_string(step.part->count - 1);
    if (step.range.count == 0) {
        findings_.doubt(line, "the selection of " + in_quotes(step.name) + owner + " is empty", range,
            "it makes no edge");
        empty = true;
        return findings_.lenient();
    }
    const std::int64_t lowest = std::min(step.range.first, step.range.last());
    const std::int64_t highest = std::max(step.range.first, step.range.last());
    if (lowest < 0 || highest >= static_cast<std::int64_t>(step.part->count)) {
        const std::int64_t wrong = lowest < 0 ? lowest : highest;
        findings_.doubt(line,
            "the index " + std::to_string(wrong) + " of " + in_quotes(step.name) + owner + " is outside its count of " +
                std::to_string(step.part->count),
            range, "it makes nodes without attributes");
        stray = true;
        return findings_.lenient();
    }
    return true;
}

void EndpointSelector::advance(Places& places, const Step& step)
{
    Places next;
    next.named = places.named;
    const std::size_t total = places.offsets.size() * step.range.count;
    next.offsets.clear();
    next.offsets.reserve(total);
    if (places.named) next.names.reserve(total);
    for (std::size_t k = 0; k < places.offsets.size(); ++k) {
        for (std::uint64_t i = 0; i < step.range.count; ++i) {
            const std::int64_t index = step.range.at(i);
            const bool there =
                places.offsets[k] != nowhere && index >= 0 && index < static_cast<std::int64_t>(step.part->placed);
            next.offsets.push_back(there
                    ? places.offsets[k] + step.part->offset + static_cast<std::uint64_t>(index) * step.part->stride
                    : nowhere);
            if (!places.named) continue;
            std::string name = places.names[k];
            if (!name.empty()) name += '.';
            next.names.push_back(name + std::string(step.name) + "." + std::to_string(index));
        }
    }
    places = std::move(next);
}

Selection EndpointSelector::walk(const std::vector<PathElement>& path, std::size_t first, const Blueprint& blueprint,
    std::vector<Step> steps, int line, bool empty, bool stray, Strays& strays)
{
    Selection result;
    const Blueprint* within = &blueprint;
    bool ends_at_device = false;
    for (std::size_t i = first; i < path.size(); ++i) {
        const bool is_last = i + 1 == path.size();
        const std::string owner = " in " + device_text(*within);
        const auto found = within->part_of.find(path[i].name);
        if (found == within->part_of.end() && within->device->broken) return result;
        if (found == within->part_of.end()) {
            const std::string what = "unknown component " + in_quotes(path[i].name) + owner;
            const std::string expected =
                findings_.nearest("a component of that device", path[i].name, [&] { return component_names(*within); });
            if (!is_last) {
                findings_.refuse(line, what, expected);
                return result;
            }
            findings_.doubt(line, what, expected, "it makes no edge");
            result.usable = findings_.lenient();
            return result;
        }
        const Part& part = within->parts[found->second];
        steps.push_back({&part, path[i].slice.range(static_cast<std::int64_t>(part.count)), path[i].name});
        if (!check_range(steps.back(), line, owner, empty, stray)) return result;
        result.type = part.component->type();
        if (is_last && part.blueprint != Part::leaf) {
            findings_.doubt(line, "the endpoint ends at " + in_quotes(path[i].name) + owner + ", which is a device",
                "a component inside it: " + std::string(path[i].name.substr(0, 40)) + ".NAME",
                "it makes nodes without attributes");
            ends_at_device = true;
        }
        if (is_last) break;
        if (part.blueprint == Part::leaf) {
            findings_.refuse(line, in_quotes(path[i].name) + owner + " has nothing inside it",
                "a component of choice 'device' before the dot");
            return result;
        }
        within = &blueprints_.at(part.blueprint);
    }
    result.usable = true;
    if (empty) return result;
    std::uint64_t total = 1;
    for (const Step& step : steps) total = saturating_multiply(total, step.range.count);
    const bool named = stray || ends_at_device;
    const std::uint64_t limit = named ? std::min(limit_, most_strays) : limit_;
    if (total > limit) {
        findings_.refuse(line, "the endpoint selects more than " + std::to_string(limit) + " nodes",
            "a smaller system");
        result.usable = false;
        return result;
    }
    Places places;
    places.named = named;
    if (places.named) places.names.emplace_back();
    for (const Step& step : steps) advance(places, step);
    result.targets.reserve(places.offsets.size());
    for (std::size_t i = 0; i < places.offsets.size(); ++i)
        result.targets.push_back(places.offsets[i] == nowhere || ends_at_device
                ? strays.number_of(places.names[i]) | Blueprint::stray_bit
                : static_cast<std::uint32_t>(places.offsets[i]));
    return result;
}

Selection EndpointSelector::in_device(const Endpoint& endpoint, const Blueprint& blueprint, Strays& strays)
{
    std::vector<PathElement> path;
    if (!endpoint.container.empty() && !parse(endpoint.container, endpoint.line, path)) return {};
    if (!parse(endpoint.component, endpoint.line, path)) return {};
    return walk(path, 0, blueprint, {}, endpoint.line, false, false, strays);
}

Selection EndpointSelector::in_infrastructure(const Endpoint& endpoint, const InstanceTable& instances, Strays& strays)
{
    std::vector<PathElement> path;
    if (!parse(endpoint.container, endpoint.line, path)) return {};
    if (path.size() != 1) {
        findings_.refuse(endpoint.line, "the instance " + in_quotes(endpoint.container) + " has more than one element",
            "one instance name with an optional slice; inner devices belong to 'component'");
        return {};
    }
    const auto found = instances.part_of.find(path[0].name);
    if (found == instances.part_of.end()) {
        findings_.refuse(endpoint.line, "unknown instance " + in_quotes(path[0].name),
            findings_.nearest("the name of an instance", path[0].name, [&] { return instances.names; }));
        return {};
    }
    if (!parse(endpoint.component, endpoint.line, path)) return {};
    const Part& part = instances.parts[found->second];
    const Step step{&part, path[0].slice.range(static_cast<std::int64_t>(part.count)), path[0].name};
    bool empty = false;
    bool stray = false;
    if (!check_range(step, endpoint.line, " (an instance)", empty, stray)) return {};
    return walk(path, 1, blueprints_.at(part.blueprint), {step}, endpoint.line, empty, stray, strays);
}

}  // namespace weft
