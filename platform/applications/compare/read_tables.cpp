#include <fmt/format.h>

#include "platform/applications/compare/json_fields.h"
#include "platform/applications/compare/match_points.h"
#include "platform/applications/compare/read_facts.h"

namespace weft {

namespace {

using Kind = JsonValue::Kind;

// A number, or nothing where the table has none.
void add_cell(Facts& out, FactGroup group, const std::string& element, const std::string& field,
    const std::string& unit, const JsonValue* value)
{
    if (value == nullptr || value->kind != Kind::number) return;
    out.facts.push_back({group, element, field, unit, number_of(*value)});
}

void add_word(Facts& out, const std::string& element, const std::string& field, const JsonValue* value)
{
    if (value == nullptr) return;
    out.facts.push_back({FactGroup::checks, element, field, "", {}, value->text});
}

// A word or a number of what was simulated.
void add_setup(Facts& out, const std::string& element, const std::string& field, const std::string& unit,
    const JsonValue* value)
{
    if (value == nullptr) return;
    if (value->kind == Kind::number)
        add_cell(out, FactGroup::setup, element, field, unit, value);
    else
        out.facts.push_back({FactGroup::setup, element, field, "", {}, value->text});
}

// Latencies are times; a row is named by its unit alone.
FactGroup group_of_unit(const std::string& unit) { return unit == "GB/s" ? FactGroup::bandwidths : FactGroup::times; }

std::string counted(std::size_t count, const char* what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parameters_of(const JsonFields& point)
{
    Parameters out;
    for (const auto& [key, value] : point.object("parameters").members) out.emplace_back(key, value.text);
    return out;
}

// "bytes=4KiB,ranks=8", as the file has it.
std::string add_point(Facts& out, const Parameters& parameters)
{
    std::string element;
    for (const auto& [key, value] : parameters) element += (element.empty() ? "" : ",") + key + "=" + value;
    out.points.push_back({element, point_identity(parameters)});
    return element;
}

// Statistics are counts, energies measures.
std::string unit_of_column(const std::string& name)
{
    if (name == "energy.low" || name == "energy.high") return "J";
    if (name == "energy.low_power" || name == "energy.high_power") return "W";
    return name == "energy.unknown" ? "parts" : "";
}

void read_latency(Facts& out, const std::string& element, const JsonFields& point, const std::string& key,
    const std::string& prefix)
{
    const JsonValue* latency = point.maybe(key);
    if (latency == nullptr) return;
    const JsonFields fields(out.file, *latency);
    for (const char* field : {"mean", "p50", "p99", "max"})
        add_cell(out, FactGroup::times, element, prefix + field, "ns", fields.maybe(field));
}

// A part of load 1, and the same in bytes: of a faster fabric the same part is more. Without a capacity the part alone.
void add_load(Facts& out, const std::string& element, const std::string& field, const JsonValue* value,
    const JsonValue* capacity, bool at_least = false)
{
    if (value == nullptr || value->kind != Kind::number) return;
    const double load = number_of(*value);
    const auto add = [&](const std::string& name, const char* unit, double each) {
        out.facts.push_back({FactGroup::bandwidths, element, name, unit, each, "", std::nullopt, at_least});
    };
    add(field, "load", load);
    if (capacity != nullptr && capacity->kind == Kind::number)
        add(field + "_rate", "GB/s", load * number_of(*capacity));
}

// `combination`: the parameters of one bench of several, and their text.
void add_bench(Facts& out, const JsonFields& fabric, const Parameters& parameters, const std::string& combination)
{
    out.facts.push_back({FactGroup::setup, combination, "pattern", "", {}, fabric.text("pattern")});
    if (const JsonValue* value = fabric.maybe("system"); value != nullptr && value->kind == Kind::object) {
        const JsonFields system(out.file, *value);
        const std::string of_system = combination + (combination.empty() ? "" : ",") + "system";
        for (const char* field : {"name", "endpoints", "senders", "switches", "links"})
            add_setup(out, of_system, field, "", system.maybe(field));
    }
    add_cell(out, FactGroup::setup, combination, "seed", "", fabric.maybe_count("seed"));
    const JsonValue* capacity = fabric.maybe("capacity_GBps");
    add_cell(out, FactGroup::setup, combination, "capacity", "GB/s", capacity);
    add_cell(out, FactGroup::setup, combination, "duration", "ps", fabric.maybe("duration_ps"));
    for (const JsonValue& item : fabric.list("points").items) {
        const JsonFields point(out.file, item);
        Parameters of_load = parameters;
        of_load.emplace_back("load", point.need("load", Kind::number).text);
        const std::string element = add_point(out, of_load);
        add_word(out, element, "state", point.maybe("state"));
        add_load(out, element, "accepted", point.maybe("accepted"), capacity);
        read_latency(out, element, point, "latency_ns", "latency.");
        read_latency(out, element, point, "round_trip_ns", "round_trip.");
        add_cell(out, FactGroup::modules, element, "jain", "", point.maybe("jain"));
    }
    const JsonValue* is = fabric.maybe("saturation_is");
    add_load(out, combination, "saturation", fabric.maybe("saturation"), capacity,
        is != nullptr && is->text == "lower bound");
    add_load(out, combination, "max_accepted", fabric.maybe("max_accepted"), capacity);
    add_cell(out, FactGroup::modules, combination, "jain", "", fabric.maybe("jain"));
}

}  // namespace

void read_sweep(Facts& out, const JsonValue& root)
{
    const JsonFields sweep(out.file, root);
    const JsonValue& points = sweep.list("points");
    for (const JsonValue& item : points.items) {
        const JsonFields point(out.file, item);
        const std::string element = add_point(out, parameters_of(point));
        for (const char* word : {"system", "fidelity", "calibration", "collective", "type", "reduction"})
            add_setup(out, element, word, "", point.maybe(word));
        for (const char* number : {"grain", "bytes"}) add_setup(out, element, number, "B", point.maybe_count(number));
        for (const char* number : {"seed", "ranks"}) add_setup(out, element, number, "", point.maybe_count(number));
        add_word(out, element, "exit", point.maybe("exit"));
        add_word(out, element, "stop", point.maybe("stop"));
        add_word(out, element, "verified", point.maybe("verified"));
        add_word(out, element, "algorithm", point.maybe("algorithm"));
        add_cell(out, FactGroup::times, element, "time", "ps", point.maybe("time_ps"));
        add_cell(out, FactGroup::bandwidths, element, "algbw", "GB/s", point.maybe("algbw_GBps"));
        add_cell(out, FactGroup::bandwidths, element, "busbw", "GB/s", point.maybe("busbw_GBps"));
        if (const JsonValue* columns = point.maybe("columns"))
            for (const auto& [name, value] : columns->members)
                add_cell(out, FactGroup::modules, element, name, unit_of_column(name), &value);
        if (point.maybe("energy_unknown") == nullptr) continue;
        EnergyLeftOut left_out{element, {}};
        for (const JsonValue& what : point.list("energy_unknown").items) left_out.parts.push_back(what.text);
        out.energy_unknown.push_back(std::move(left_out));
    }
    out.title = "sweep of " + counted(points.items.size(), "point");
}

void read_fabric(Facts& out, const JsonValue& root)
{
    const JsonFields fabric(out.file, root);
    add_bench(out, fabric, {}, "");
    out.title = "fabric, " + fabric.text("pattern") + ", " + counted(fabric.list("points").items.size(), "load");
}

void read_fabric_sweep(Facts& out, const JsonValue& root)
{
    const JsonFields sweep(out.file, root);
    const JsonValue& points = sweep.list("points");
    for (const JsonValue& item : points.items) {
        const JsonFields point(out.file, item);
        const Parameters parameters = parameters_of(point);
        const std::string combination = add_point(out, parameters);
        add_word(out, combination, "exit", point.maybe("exit"));
        if (const JsonValue* fabric = point.maybe("fabric"); fabric != nullptr && fabric->kind == Kind::object)
            add_bench(out, JsonFields(out.file, *fabric), parameters, combination);
    }
    out.title = "fabric sweep of " + counted(points.items.size(), "point");
}

void read_probe(Facts& out, const JsonValue& root)
{
    const JsonFields probe(out.file, root);
    out.facts.push_back({FactGroup::setup, "", "profile", "", {}, probe.text("profile")});
    const JsonValue& rows = probe.list("rows");
    for (const JsonValue& item : rows.items) {
        const JsonFields row(out.file, item);
        const std::string& unit = row.text("unit");
        add_cell(out, group_of_unit(unit), row.text("name"), "simulated", unit, row.maybe("simulated"));
        add_cell(out, FactGroup::setup, row.text("name"), "published", unit, row.maybe("published"));
    }
    out.title = "probe of " + probe.text("profile") + ", " + counted(rows.items.size(), "row");
}

void read_validation(Facts& out, const JsonValue& root)
{
    const JsonFields validation(out.file, root);
    const JsonValue& tables = validation.list("tables");
    for (const JsonValue& item : tables.items) {
        const JsonFields table(out.file, item);
        const std::string& title = table.text("title");
        const std::string& unit = table.text("unit");
        for (const JsonValue& line : table.list("rows").items) {
            const JsonFields row(out.file, line);
            const std::string element = title + ", " + row.text("key");
            add_word(out, element, "variant", row.maybe("variant"));
            add_cell(out, FactGroup::setup, element, "measured", unit, row.maybe("measured"));
            add_cell(out, group_of_unit(unit), element, "simulated", unit, row.maybe("simulated"));
            add_cell(out, FactGroup::errors, element, "error", "%", row.maybe("error_pct"));
        }
        for (const char* field :
            {"mean_error_pct", "worst_error_pct", "growth_mean_error_pct", "growth_worst_error_pct", "launch_us"})
            add_cell(out, FactGroup::errors, title, field, std::string(field) == "launch_us" ? "us" : "%",
                table.maybe(field));
    }
    out.title = "validation, " + counted(tables.items.size(), "table");
}

}  // namespace weft
