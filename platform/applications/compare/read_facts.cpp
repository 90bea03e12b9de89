#include "platform/applications/compare/read_facts.h"

#include <map>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/diagnostic.h"
#include "base/merged_statistic.h"
#include "base/units.h"
#include "platform/applications/compare/json_fields.h"

namespace weft {

namespace {

using Kind = JsonValue::Kind;

// A word or a number; a null is a word that says so.
Fact fact_of(FactGroup group, std::string element, std::string field, std::string unit, const JsonValue& value)
{
    Fact out{group, std::move(element), std::move(field), std::move(unit), {}, value.text};
    if (value.kind == Kind::number) out.value = number_of(value);
    if (value.kind == Kind::boolean) out.text = value.boolean ? "yes" : "no";
    if (value.kind == Kind::null) out.text = "unknown";
    return out;
}

void read_parameters(Facts& out, const JsonValue& parameters)
{
    for (const auto& [path, parameter] : parameters.members) {
        const JsonFields fields(out.file, parameter);
        const JsonValue* value = parameter.member("value");
        if (value == nullptr) throw InputError(out.file, parameter.line, "the object lacks 'value'", "a value or null");
        out.facts.push_back(fact_of(FactGroup::parameters, path, "", fields.text("unit"), *value));
    }
}

void read_collectives(Facts& out, const JsonValue& collectives)
{
    out.collectives_known = !collectives.items.empty();
    for (std::size_t i = 0; i < collectives.items.size(); ++i) {
        const JsonFields one(out.file, collectives.items[i]);
        const bool known = one.maybe("group") != nullptr;
        out.collectives_known = out.collectives_known && known;
        out.collectives.push_back({one.text("op"), known ? one.text("group") : "", known ? one.text("members") : "",
            one.maybe("name") == nullptr ? "" : one.text("name"), one.count("bytes").text});
        const std::string element = fmt::format("collective.{}", i);
        for (const char* word : {"op", "algorithm"})
            out.facts.push_back(fact_of(FactGroup::setup, element, word, "", one.need(word, Kind::text)));
        for (const char* word : {"protocol", "type", "reduction"})
            if (const JsonValue* value = one.maybe(word))
                out.facts.push_back(fact_of(FactGroup::setup, element, word, "", *value));
        out.facts.push_back(fact_of(FactGroup::setup, element, "ranks", "", one.count("ranks")));
        out.facts.push_back(fact_of(FactGroup::setup, element, "bytes", "B", one.count("bytes")));
        const JsonValue* finished = one.maybe("finished");
        if (finished != nullptr && finished->kind == Kind::boolean && !finished->boolean) {
            out.facts.push_back({FactGroup::checks, element, "finished", "", {}, "no"});
            continue;
        }
        out.facts.push_back({FactGroup::times, element, "time", "ps", one.number("end_ps") - one.number("start_ps")});
        out.facts.push_back({FactGroup::times, element, "start", "ps", one.number("start_ps")});
        out.facts.push_back({FactGroup::bandwidths, element, "algbw", "GB/s", one.number("algbw_GBps")});
        out.facts.push_back({FactGroup::bandwidths, element, "busbw", "GB/s", one.number("busbw_GBps")});
    }
}

// What each rank spent its time on, as shares of the simulated time.
void read_ranks(Facts& out, const JsonValue& ranks, double simulated)
{
    out.ranks = ranks.items.size();
    for (const JsonValue& item : ranks.items) {
        const JsonFields rank(out.file, item);
        const std::string element = fmt::format("rank.{:.0f}", rank.number("rank"));
        // A rank that has not finished has no time.
        const double finish = rank.number("finish_ps");
        if (finish > 0 || !out.partial) out.facts.push_back({FactGroup::times, element, "finish", "ps", finish});
        for (const char* list : {"stall_ps", "breakdown_ps"}) {
            const JsonValue* times = rank.maybe(list);
            if (times == nullptr) continue;
            for (const auto& [cause, time] : times->members) {
                if (time.kind != Kind::number)
                    throw InputError(out.file, time.line, "a time is not a number", "picoseconds");
                const std::string name = (std::string(list) == "stall_ps" ? "" : "time.") + cause;
                out.facts.push_back({FactGroup::causes, element, name, "ps", number_of(time), "", simulated});
            }
        }
    }
}

// Shares of the simulated time, as all causes, also where a trace has several collectives.
void read_paths(Facts& out, const JsonValue& paths, double simulated)
{
    for (const JsonValue& item : paths.items) {
        const JsonFields path(out.file, item);
        const JsonValue& times = path.object("times_ps");
        for (const auto& [cause, time] : times.members)
            out.facts.push_back({FactGroup::causes, fmt::format("critical_path.{:.0f}", path.number("collective")),
                cause, "ps", number_of(time), "", simulated});
    }
}

void read_links(Facts& out, const JsonValue& links, double simulated)
{
    for (const JsonValue& item : links.items) {
        const JsonFields link(out.file, item);
        // Parallel links have one name more than their ends.
        const std::string ends = link.text("from") + "~" + link.text("to");
        const std::string& name = link.text("name");
        const bool plain = name == ends || name == link.text("to") + "~" + link.text("from");
        const std::string element = plain ? ends : ends + " (" + name + ")";
        const auto add = [&](FactGroup group, const char* key, const char* field, const char* unit, bool part) {
            const JsonValue* value = link.maybe(key);
            if (value == nullptr) return;
            if (value->kind != Kind::number)
                throw InputError(out.file, value->line, std::string("'") + key + "' is not a number", "a number");
            out.facts.push_back(
                {group, element, field, unit, number_of(*value), "", part ? std::optional(simulated) : std::nullopt});
        };
        add(FactGroup::setup, "GBps", "rate", "GB/s", false);
        add(FactGroup::links, "wire_bytes", "wire", "B", false);
        add(FactGroup::links, "payload_bytes", "payload", "B", false);
        add(FactGroup::links, "busy_ps", "busy", "ps", true);
        add(FactGroup::links, "credit_stall_ps", "credit_stall", "ps", true);
        add(FactGroup::queues, "peak_queue", "peak_queue", "lines", false);
    }
}

// The JSON has it whatever the options of the run; a module "energy" is there with --energy alone. Null: not known.
void read_energy(Facts& out, const JsonValue& energy)
{
    const JsonFields fields(out.file, energy);
    const auto add = [&](const char* key, const char* field, const char* unit) {
        if (const JsonValue* value = fields.maybe(key))
            out.facts.push_back({FactGroup::modules, "energy", field, unit, number_of(*value)});
    };
    add("low_J", "low", "J");
    add("high_J", "high", "J");
    add("low_W", "low_power", "W");
    add("high_W", "high_power", "W");
    for (const JsonValue& item : fields.list("parts").items) {
        const JsonFields part(out.file, item);
        out.energy_figures.push_back({part.text("of") + " " + part.text("kind"),
            fmt::format("{} to {} {}", part.number("each_low"), part.number("each_high"), part.text("unit")),
            part.text("source")});
    }
    EnergyLeftOut left_out;
    for (const JsonValue& what : fields.list("unknown").items) left_out.parts.push_back(what.text);
    out.facts.push_back({FactGroup::modules, "energy", "unknown", "parts", static_cast<double>(left_out.parts.size())});
    out.energy_unknown.push_back(std::move(left_out));
}

// Statistics summed over the modules of a kind.
void read_modules(Facts& out, const JsonValue& modules)
{
    std::vector<std::pair<std::string, std::string>> order;
    std::map<std::pair<std::string, std::string>, Fact> facts;
    std::map<std::pair<std::string, std::string>, MergedStatistic> merged;
    for (const JsonValue& item : modules.items) {
        const JsonFields module(out.file, item);
        const std::string& kind = module.text("kind");
        if (kind == "energy") continue;
        for (const auto& [name, statistic] : module.object("stats").members) {
            const JsonFields fields(out.file, statistic);
            const JsonValue* value = fields.maybe("value");
            if (value == nullptr) continue;
            const std::pair<std::string, std::string> key{kind, name};
            if (facts.count(key) == 0) {
                order.push_back(key);
                facts[key] = {FactGroup::modules, kind, name, fields.text("unit"), 0.0};
            }
            merged.try_emplace(key, merging_of(kind, name)).first->second.add(number_of(*value));
        }
    }
    for (const auto& key : order)
        if (const std::optional<double> value = merged.at(key).value()) {
            facts[key].value = value;
            out.facts.push_back(facts[key]);
        }
}

void read_result(Facts& out, const JsonValue& root)
{
    const JsonFields result(out.file, root);
    const JsonFields system(out.file, result.object("system"));
    const double simulated = result.number("simulated_ps");
    out.facts.push_back(fact_of(FactGroup::checks, "", "stop", "", result.need("stop", Kind::text)));
    out.facts.push_back(fact_of(FactGroup::checks, "", "verified", "", result.need("verified", Kind::text)));
    out.partial = result.text("stop") != "finished";
    out.facts.push_back(fact_of(FactGroup::setup, "system", "name", "", system.need("name", Kind::text)));
    for (const char* count : {"endpoints", "nodes", "links", "switches"})
        out.facts.push_back(fact_of(FactGroup::setup, "system", count, "", system.count(count)));
    out.facts.push_back(fact_of(FactGroup::setup, "", "seed", "", result.count("seed")));
    for (const char* word : {"fidelity", "calibration"})
        if (const JsonValue* value = result.maybe(word))
            out.facts.push_back(fact_of(FactGroup::setup, "", word, "", *value));
    // Results of earlier versions have the grain where it was not that of a line.
    const double grain = result.maybe("grain") == nullptr ? 64 : result.number("grain");
    out.facts.push_back({FactGroup::setup, "", "grain", "B", grain});
    read_parameters(out, result.object("parameters"));
    out.facts.push_back({FactGroup::times, "", "simulated", "ps", simulated});
    const JsonValue& collectives = result.list("collectives");
    read_collectives(out, collectives);
    read_ranks(out, result.list("ranks"), simulated);
    if (const JsonValue* paths = result.maybe("critical_paths")) read_paths(out, *paths, simulated);
    read_links(out, result.list("links"), simulated);
    for (const char* count : {"lines", "line_hops"})
        out.facts.push_back(fact_of(FactGroup::modules, "all", count, "", result.count(count)));
    read_modules(out, result.list("modules"));
    if (const JsonValue* energy = result.maybe("energy")) read_energy(out, *energy);

    out.title = system.text("name");
    if (collectives.items.size() == 1) {
        const JsonFields one(out.file, collectives.items[0]);
        out.title += fmt::format(", {}, {}, {:.0f} ranks, {}", one.text("op"), one.text("algorithm"),
            one.number("ranks"), format_bytes(static_cast<std::uint64_t>(one.number("bytes"))));
    } else {
        out.title += fmt::format(", {} collectives", collectives.items.size());
    }
    out.title += ", " + result.text("stop") + ", verified: " + result.text("verified");
}

}  // namespace

std::vector<std::string> ungrouped(const std::string& name)
{
    const std::size_t open = name.find('[');
    const std::size_t close = open == std::string::npos ? open : name.find(']', open);
    if (close == std::string::npos) return {name};
    const std::string inside = name.substr(open + 1, close - open - 1);
    if (inside.empty() || inside.find_first_not_of("0123456789,-") != std::string::npos || inside.size() > 4096)
        return {name};
    std::vector<std::string> out;
    const std::vector<std::string> rest = ungrouped(name.substr(close + 1));
    constexpr unsigned long most = 1 << 20;
    for (const std::string_view item : comma_list(inside)) {
        const std::string part(item);
        const std::size_t dash = part.find('-');
        const unsigned long first = std::strtoul(part.c_str(), nullptr, 10);
        const unsigned long last =
            dash == std::string::npos ? first : std::strtoul(part.c_str() + dash + 1, nullptr, 10);
        // Numbers of ten digits and more would not stay what they are.
        if (part.empty() || std::max(first, last) > 999'999'999 || last < first || last - first > most ||
            out.size() > most)
            return {name};
        for (unsigned long i = first; i <= last; ++i)
            for (const std::string& tail : rest) out.push_back(name.substr(0, open) + std::to_string(i) + tail);
    }
    return out;
}

Facts read_facts(const std::string& file, const std::string& text)
{
    const JsonValue root = read_json(text, file);
    Facts out;
    out.file = file;
    const JsonFields fields(file, root);
    out.schema = fields.text("schema");
    if (out.schema == "weft.result/1") {
        read_result(out, root);
    } else if (out.schema == "weft.sweep/1") {
        read_sweep(out, root);
    } else if (out.schema == "weft.fabric/1") {
        read_fabric(out, root);
    } else if (out.schema == "weft.fabric_sweep/1") {
        read_fabric_sweep(out, root);
    } else if (out.schema == "weft.probe/1") {
        read_probe(out, root);
    } else if (out.schema == "weft.validation/1") {
        read_validation(out, root);
    } else {
        throw InputError(file, root.member("schema")->line,
            "schema '" + out.schema.substr(0, 60) + "' cannot be compared",
            "the JSON of weft run, sweep, fabric, probe or validate");
    }
    return out;
}

}  // namespace weft
