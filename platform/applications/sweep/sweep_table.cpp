#include "platform/applications/sweep/sweep_table.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/merged_statistic.h"
#include "base/text_file.h"
#include "base/units.h"
#include "platform/applications/sweep/sweep_energy.h"
#include "platform/console/messages.h"
#include "platform/console/table_text.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> result_columns{"time", "algbw", "busbw", "verified"};

std::string first_line(const std::string& path)
{
    try {
        const std::string text = errors_of(path);
        std::string line = text.substr(0, text.find('\n'));
        if (line.compare(0, 6, "weft: ") == 0) line.erase(0, 6);
        return line;
    } catch (const InputError&) {
        return {};
    }
}

std::optional<double> column_of(const Json& result, const std::string& column)
{
    const std::string kind = column.substr(0, column.find('.'));
    const std::string name = column.substr(kind.size() + 1);
    if (is_energy_column(column)) return energy_of_result(result, column);
    MergedStatistic merged(merging_of(kind, name));
    const bool mixed = result.at("fidelity") == "mixed";
    if (kind == "link") {
        if (result.value("links_left_out", false)) return std::nullopt;
        for (const Json& link : result.at("links")) {
            const auto value = link.find(name);
            if (value != link.end() && value->is_number())
                merged.add(value->get<double>());
            else if (value != link.end() ? value->is_null() : mixed)
                return std::nullopt;  // not known of all links
        }
        return merged.value();
    }
    if (mixed) return std::nullopt;  // the part at flow fidelity has no modules
    for (const Json& module : result.at("modules")) {
        if (module.at("kind") != kind) continue;
        if (const auto value = module.at("stats").find(name); value != module.at("stats").end())
            merged.add(value->at("value").get<double>());
    }
    return merged.value();
}

bool has_energy(const std::vector<std::string>& columns)
{
    return std::any_of(columns.begin(), columns.end(), is_energy_column);
}

// Statistics are counts, energies measures.
std::string column_text(const std::string& column, const std::optional<double>& value)
{
    if (!value) return "-";
    const std::string unit = unit_of_energy(column);
    return unit.empty() ? fmt::format("{:.15g}", *value) : fmt::format("{:.4g} {}", *value, unit);
}

// Ranks of a trace have their time by activity.
bool is_trace(const Json& result)
{
    const Json& ranks = result.at("ranks");
    return !ranks.empty() && ranks[0].contains("breakdown_ps");
}

// The first of these lines; a heading, which says nothing by itself, with the line below it.
std::string first_said(const Json& lines)
{
    if (lines.empty()) return "";
    std::string out = lines[0];
    if (lines.size() == 1 || out.empty() || out.back() != ':') return out;
    const std::string next = lines[1];
    return out + " " + next.substr(std::min(next.find_first_not_of(' '), next.size()));
}

SweepSetup setup_of(const Json& result)
{
    SweepSetup out;
    out.system = result.at("system").at("name");
    out.fidelity = result.at("fidelity");
    out.calibration = result.value("calibration", "");
    out.grain = result.value("grain", std::uint64_t{64});
    out.seed = result.at("seed").get<std::uint64_t>();
    const Json& collectives = result.at("collectives");
    if (is_trace(result) || collectives.size() != 1) return out;
    const Json& only = collectives[0];
    out.collective = only.at("op");
    out.element = only.at("type");
    if (only.at("reduction").is_string()) out.reduction = only.at("reduction");
    out.ranks = only.at("ranks").get<std::uint64_t>();
    out.bytes = only.at("bytes").get<std::uint64_t>();
    return out;
}

void add_setup(Json& point, const SweepSetup& setup)
{
    const auto word = [&](const char* key, const std::string& text) {
        point[key] = text.empty() ? Json() : Json(text);
    };
    const auto number = [&](const char* key, const auto& value) { point[key] = value ? Json(*value) : Json(); };
    word("system", setup.system);
    word("fidelity", setup.fidelity);
    number("grain", setup.grain);
    word("calibration", setup.calibration);
    number("seed", setup.seed);
    word("collective", setup.collective);
    number("ranks", setup.ranks);
    number("bytes", setup.bytes);
    word("type", setup.element);
    word("reduction", setup.reduction);
}

bool read_result(SweepRow& row, const std::string& path, const std::vector<std::string>& columns)
{
    try {
        const Json result = Json::parse(read_text_file(path));
        row.setup = setup_of(result);
        row.stop = result.at("stop");
        row.verified = result.at("verified");
        const bool ended = row.stop == "finished" || row.stop == "wrong";
        if (ended) row.time_ps = result.at("simulated_ps").get<std::uint64_t>();
        for (const std::string& column : columns) row.columns.push_back(column_of(result, column));
        if (has_energy(columns)) row.energy_unknown = energy_unknown_of(result);
        row.notices = result.at("notices").get<std::vector<std::string>>();
        for (const char* named : {"problems", "mismatches", "blocked"})
            if (row.reason.empty()) row.reason = first_said(result.at(named));
        const Json& collectives = result.at("collectives");
        if (!is_trace(result) && collectives.size() == 1 && row.stop == "finished") {
            const Json& only = collectives[0];
            row.time_ps = only.at("end_ps").get<std::uint64_t>() - only.at("start_ps").get<std::uint64_t>();
            row.algbw_GBps = only.at("algbw_GBps").get<double>();
            row.busbw_GBps = only.at("busbw_GBps").get<double>();
            row.algorithm = only.at("algorithm");
            if (const Json& by = only.at("chosen_by"); by.is_string()) {
                row.chosen_by = by;
                row.estimate_ps = only.at("estimate_ps").get<std::uint64_t>();
            }
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

std::string bandwidth_text(const std::optional<double>& value)
{
    return value ? fmt::format("{:.4g} GB/s", *value) : "-";
}

bool any_chosen(const std::vector<SweepRow>& rows)
{
    return std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.chosen_by.empty(); });
}

// Whether the grain is a column: where an error is allowed, or runs have different ones, and no key says which.
bool tells_grain(const std::vector<SweepAxis>& axes, const std::vector<SweepRow>& rows, bool by_error)
{
    for (const SweepAxis& axis : axes)
        if (axis.key == "grain" || axis.key == "engine.grain") {
            const auto is_size = [](const std::string& value) { return parse_bytes(value).has_value(); };
            return !std::all_of(axis.values.begin(), axis.values.end(), is_size);
        }
    std::optional<std::uint64_t> first;
    for (const SweepRow& row : rows) {
        if (!row.setup.grain) continue;
        if (by_error || row.setup.grain != first.value_or(*row.setup.grain)) return true;
        first = row.setup.grain;
    }
    return false;
}

// Columns that only some tables have.
struct Shown {
    bool chosen = false;
    bool grain = false;
    bool left_out = false;
};

std::vector<std::string> cells(const SweepRow& row, const std::vector<std::string>& columns, const Shown& shown)
{
    std::vector<std::string> out = row.values;
    if (!row.message.empty()) return out;
    out.push_back(row.time_ps ? format_time_ps(*row.time_ps) : "-");
    out.push_back(bandwidth_text(row.algbw_GBps));
    out.push_back(bandwidth_text(row.busbw_GBps));
    out.push_back(row.stop == "finished" ? row.verified : row.stop);
    if (shown.chosen) {
        out.push_back(row.chosen_by.empty() ? "-" : row.algorithm);
        out.push_back(row.estimate_ps ? format_time_ps(*row.estimate_ps) : "-");
    }
    if (shown.grain) out.push_back(row.setup.grain ? fmt::format("{} B", *row.setup.grain) : "-");
    for (std::size_t i = 0; i < columns.size(); ++i) out.push_back(column_text(columns[i], row.columns[i]));
    if (shown.left_out) out.push_back(energy_left_out(row));
    return out;
}

// What a key's column is in numbers, where its values are not.
struct NumericColumn {
    std::size_t axis = 0;
    std::string title;
    std::vector<std::string> cells;
};

// Columns that a table reader plots without parsing units: "link.latency" of 50ns,5us is also "link.latency_ps". The key `bytes` is
// no further column, as its own holds numbers.
std::vector<NumericColumn> numeric_columns(const std::vector<SweepAxis>& axes, const std::vector<SweepRow>& rows)
{
    using Parser = std::optional<std::uint64_t> (*)(std::string_view);
    const std::vector<std::pair<const char*, Parser>> kinds{{"_ps", parse_time_ps}, {"_Bps", parse_rate},
        {"_Hz", parse_frequency}, {"_B", parse_bytes}};
    std::vector<NumericColumn> out;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto is_plain = [i](const SweepRow& row) {
            return !row.message.empty() || row.values[i].find_first_not_of("0123456789.") == std::string::npos;
        };
        if (axes[i].key == "bytes" || std::all_of(rows.begin(), rows.end(), is_plain)) continue;
        for (const auto& [suffix, parse] : kinds) {
            NumericColumn column{i, axes[i].key + suffix, {}};
            for (const SweepRow& row : rows)
                if (const auto value = parse(row.values[i]))
                    column.cells.push_back(std::to_string(*value));
                else if (!row.message.empty())
                    column.cells.emplace_back();  // refused, for a value that is none
            if (column.cells.size() != rows.size()) continue;
            out.push_back(std::move(column));
            break;
        }
    }
    return out;
}

}  // namespace

void check_columns(const std::vector<std::string>& columns)
{
    for (const std::string& column : columns) {
        const std::size_t dot = column.find('.');
        if (dot == std::string::npos || dot == 0 || dot + 1 == column.size())
            throw usage_error("--column " + quoted_word(column) + " is not a column",
                "KIND.STATISTIC, such as l2.misses, or link.FIELD, such as link.flag_bytes");
    }
}

std::string columns_missing(const std::vector<std::string>& columns, const std::vector<SweepRow>& rows)
{
    std::string out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto has_result = [](const SweepRow& row) { return row.message.empty(); };
        const auto has_value = [i](const SweepRow& row) { return row.message.empty() && row.columns[i]; };
        if (is_energy_column(columns[i])) continue;  // empty where nothing is known, which the table tells
        if (std::any_of(rows.begin(), rows.end(), has_result) && std::none_of(rows.begin(), rows.end(), has_value))
            out += "weft: no run has a column " + quoted_word(columns[i]) +
                "; expected a statistic of 'modules' or a field of 'links' in the JSON of weft run" +
                (columns[i].rfind("energy.", 0) == 0 ? ", or " + one_of(energy_columns()).substr(7) : "") +
                ", of all of them: a mixed run has modules of a part, and large results at flow leave out links\n";
    }
    return out;
}

std::vector<std::string> notices_of(const std::vector<SweepRow>& rows)
{
    constexpr std::size_t most = 12;
    std::vector<std::pair<std::string, std::size_t>> found;
    std::size_t results = 0;
    for (const SweepRow& row : rows) {
        if (row.message.empty()) ++results;
        for (const std::string& notice : row.notices) {
            const auto known =
                std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == notice; });
            if (known == found.end())
                found.emplace_back(notice, 1);
            else
                ++known->second;
        }
    }
    std::vector<std::string> out;
    std::size_t unsaid = 0;
    for (const SweepRow& row : rows) {
        if (row.reason.empty()) continue;
        if (out.size() == most)
            ++unsaid;
        else
            out.push_back(fmt::format("{}: {}: {}", fmt::join(row.values, ", "),
                row.stop == "finished" ? row.verified : row.stop, row.reason));
    }
    if (unsaid > 0) out.push_back(fmt::format("and {} more rows, which --json has", unsaid));
    const std::size_t reasons = out.size();
    for (const auto& [notice, runs] : found) {
        if (out.size() == reasons + most) {
            out.push_back(fmt::format("and {} more, which --json has", found.size() - most));
            break;
        }
        out.push_back(runs == results ? notice : fmt::format("{} of {} runs: {}", runs, results, notice));
    }
    return out;
}

SweepRow make_row(const SweepPoint& point, ProcessEnd end, const std::string& json_path, const std::string& error_path,
    const std::vector<std::string>& columns)
{
    SweepRow row;
    row.values = point;
    row.code = end.code;
    if (read_result(row, json_path, columns)) return row;
    row.columns.clear();
    if (end.signal != 0)
        row.message = fmt::format("ended by signal {} ({}){}", end.signal, ::strsignal(end.signal),
            end.signal == SIGKILL ? ": the machine was probably out of memory; use fewer jobs (-j)" : "");
    else if (end.code < 0)
        row.message = "not run";
    else
        row.message = first_line(error_path);
    if (row.message.empty() && end.code == exit_good) {
        row.message = json_path + " is no result of a run";
        row.code = exit_wrong;
    }
    if (row.message.empty()) row.message = fmt::format("exit code {} without a message", end.code);
    return row;
}

std::string sweep_text(const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns,
    const std::vector<SweepRow>& rows, bool by_error)
{
    std::vector<std::string> titles;
    for (const SweepAxis& axis : axes) titles.push_back(axis.key);
    titles.insert(titles.end(), result_columns.begin(), result_columns.end());
    const Shown shown{any_chosen(rows), tells_grain(axes, rows, by_error), any_energy_unknown(rows)};
    if (shown.chosen) titles.insert(titles.end(), {"chosen", "estimate"});
    if (shown.grain) titles.emplace_back("grain");
    titles.insert(titles.end(), columns.begin(), columns.end());
    if (shown.left_out) titles.emplace_back("energy leaves out");
    std::vector<TextRow> lines;
    for (const SweepRow& row : rows) lines.push_back({cells(row, columns, shown), row.message});
    return table_text(titles, lines) + energy_footnote(rows);
}

std::string sweep_json(const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns,
    const std::vector<SweepRow>& rows)
{
    Json out;
    out["schema"] = "weft.sweep/1";
    out["keys"] = Json::array();
    for (const SweepAxis& axis : axes) out["keys"].push_back(axis.key);
    out["points"] = Json::array();
    for (const SweepRow& row : rows) {
        Json point;
        point["parameters"] = Json::object();
        for (std::size_t i = 0; i < axes.size(); ++i) point["parameters"][axes[i].key] = row.values[i];
        const bool has_result = row.message.empty();
        add_setup(point, row.setup);
        point["exit"] = row.code < 0 ? Json() : Json(row.code);
        point["stop"] = has_result ? Json(row.stop) : Json();
        point["verified"] = has_result ? Json(row.verified) : Json();
        point["time_ps"] = row.time_ps ? Json(*row.time_ps) : Json();
        point["algbw_GBps"] = row.algbw_GBps ? Json(*row.algbw_GBps) : Json();
        point["busbw_GBps"] = row.busbw_GBps ? Json(*row.busbw_GBps) : Json();
        point["algorithm"] = row.algorithm.empty() ? Json() : Json(row.algorithm);
        point["chosen_by"] = row.chosen_by.empty() ? Json() : Json(row.chosen_by);
        point["estimate_ps"] = row.estimate_ps ? Json(*row.estimate_ps) : Json();
        point["columns"] = Json::object();
        for (std::size_t i = 0; i < columns.size(); ++i)
            point["columns"][columns[i]] = has_result && row.columns[i] ? Json(*row.columns[i]) : Json();
        point["energy_unknown"] = row.energy_unknown ? Json(*row.energy_unknown) : Json();
        point["notices"] = row.notices;
        point["reason"] = row.reason.empty() ? Json() : Json(row.reason);
        point["message"] = has_result ? Json() : Json(row.message);
        out["points"].push_back(std::move(point));
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sweep_csv(const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns,
    const std::vector<SweepRow>& rows, bool by_error)
{
    std::string out;
    for (const SweepAxis& axis : axes) out += csv_field(axis.key) + ",";
    const bool chosen = any_chosen(rows);
    out += "time_ps,algbw_GBps,busbw_GBps,verified,stop,exit,";
    if (chosen) out += "chosen,estimate_ps,";
    for (const std::string& column : columns) {
        const std::string unit = unit_of_energy(column);
        out += csv_field(column + (unit.empty() ? "" : "_" + unit)) + ",";
    }
    const bool energy = has_energy(columns);
    if (energy) out += "energy_unknown,";
    out += "message,time_us";
    const std::vector<NumericColumn> numeric = numeric_columns(axes, rows);
    const std::vector<std::string> none;
    for (const NumericColumn& column : numeric) out += "," + csv_field(column.title);
    const bool grain = tells_grain(axes, rows, by_error);
    if (grain) out += ",grain_B";
    out += "\n";
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const SweepRow& row = rows[r];
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto bytes = axes[i].key == "bytes" ? parse_bytes(row.values[i]) : std::nullopt;
            out += (bytes ? std::to_string(*bytes) : csv_field(row.values[i])) + ",";
        }
        out += row.time_ps ? std::to_string(*row.time_ps) : "";
        out += "," + (row.algbw_GBps ? fmt::format("{}", *row.algbw_GBps) : "");
        out += "," + (row.busbw_GBps ? fmt::format("{}", *row.busbw_GBps) : "");
        out += "," + row.verified + "," + row.stop + "," + (row.code < 0 ? "" : std::to_string(row.code)) + ",";
        if (chosen) {
            out += row.chosen_by.empty() ? "," : csv_field(row.algorithm) + ",";
            out += (row.estimate_ps ? std::to_string(*row.estimate_ps) : "") + ",";
        }
        for (std::size_t i = 0; i < columns.size(); ++i)
            out += (row.message.empty() && row.columns[i] ? fmt::format("{}", *row.columns[i]) : "") + ",";
        if (energy) out += csv_field(fmt::format("{}", fmt::join(row.energy_unknown.value_or(none), "; "))) + ",";
        out += csv_field(row.message.empty() ? row.reason : row.message) + ",";
        if (row.time_ps) out += fmt::format("{}", static_cast<double>(*row.time_ps) / 1e6);
        for (const NumericColumn& column : numeric) out += "," + column.cells[r];
        if (grain) out += "," + (row.setup.grain ? std::to_string(*row.setup.grain) : "");
        out += "\n";
    }
    return out;
}

}  // namespace weft
