#include "platform/commands/sweep_table.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "base/units.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> result_columns{"time", "algbw", "busbw", "verified"};

std::string first_line(const std::string& path)
{
    try {
        const std::string text = read_text_file(path);
        std::string line = text.substr(0, text.find('\n'));
        if (line.compare(0, 6, "weft: ") == 0) line.erase(0, 6);
        return line;
    } catch (const InputError&) {
        return {};
    }
}

bool read_result(SweepRow& row, const std::string& path)
{
    try {
        const Json result = Json::parse(read_text_file(path));
        row.stop = result.at("stop");
        row.verified = result.at("verified");
        row.time_ps = result.at("simulated_ps");
        const Json& collectives = result.at("collectives");
        if (collectives.size() == 1 && row.stop == "finished") {
            const Json& only = collectives[0];
            row.time_ps = only.at("end_ps").get<std::uint64_t>() - only.at("start_ps").get<std::uint64_t>();
            row.algbw_GBps = only.at("algbw_GBps").get<double>();
            row.busbw_GBps = only.at("busbw_GBps").get<double>();
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

std::vector<std::string> cells(const SweepRow& row)
{
    std::vector<std::string> out = row.values;
    if (!row.message.empty()) return out;
    out.push_back(format_time_ps(row.time_ps));
    out.push_back(bandwidth_text(row.algbw_GBps));
    out.push_back(bandwidth_text(row.busbw_GBps));
    out.push_back(row.stop == "finished" ? row.verified : row.stop);
    return out;
}

std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

}  // namespace

SweepRow make_row(const SweepPoint& point, ProcessEnd end, const std::string& json_path,
    const std::string& error_path)
{
    SweepRow row;
    row.values = point;
    row.code = end.code;
    if (read_result(row, json_path)) return row;
    if (end.signal != 0)
        row.message = fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
    else if (end.code < 0)
        row.message = "not run";
    else
        row.message = first_line(error_path);
    if (row.message.empty()) row.message = fmt::format("exit code {} without a word", end.code);
    return row;
}

std::string sweep_text(const std::vector<SweepAxis>& axes, const std::vector<SweepRow>& rows)
{
    std::vector<std::string> titles;
    for (const SweepAxis& axis : axes) titles.push_back(axis.key);
    titles.insert(titles.end(), result_columns.begin(), result_columns.end());
    std::vector<std::size_t> widths;
    for (const std::string& title : titles) widths.push_back(title.size());
    for (const SweepRow& row : rows) {
        const std::vector<std::string> texts = cells(row);
        for (std::size_t i = 0; i < texts.size(); ++i) widths[i] = std::max(widths[i], texts[i].size());
    }
    const auto line = [&](const std::vector<std::string>& texts, const std::string& rest) {
        std::string out;
        for (std::size_t i = 0; i < texts.size(); ++i) out += fmt::format("{:<{}}  ", texts[i], widths[i]);
        out += rest;
        out.erase(out.find_last_not_of(' ') + 1);
        return out + "\n";
    };
    std::string out = line(titles, "");
    for (const SweepRow& row : rows) out += line(cells(row), row.message);
    return out;
}

std::string sweep_json(const std::vector<SweepAxis>& axes, const std::vector<SweepRow>& rows)
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
        point["exit"] = row.code < 0 ? Json() : Json(row.code);
        point["stop"] = has_result ? Json(row.stop) : Json();
        point["verified"] = has_result ? Json(row.verified) : Json();
        point["time_ps"] = has_result ? Json(row.time_ps) : Json();
        point["algbw_GBps"] = row.algbw_GBps ? Json(*row.algbw_GBps) : Json();
        point["busbw_GBps"] = row.busbw_GBps ? Json(*row.busbw_GBps) : Json();
        point["message"] = has_result ? Json() : Json(row.message);
        out["points"].push_back(std::move(point));
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sweep_csv(const std::vector<SweepAxis>& axes, const std::vector<SweepRow>& rows)
{
    std::string out;
    for (const SweepAxis& axis : axes) out += csv_field(axis.key) + ",";
    out += "time_ps,algbw_GBps,busbw_GBps,verified,stop,exit,message\n";
    for (const SweepRow& row : rows) {
        for (const std::string& value : row.values) out += csv_field(value) + ",";
        out += row.message.empty() ? std::to_string(row.time_ps) : "";
        out += "," + (row.algbw_GBps ? fmt::format("{}", *row.algbw_GBps) : "");
        out += "," + (row.busbw_GBps ? fmt::format("{}", *row.busbw_GBps) : "");
        out +=
            "," + row.verified + "," + row.stop + "," + (row.code < 0 ? "" : std::to_string(row.code)) + ",";
        out += csv_field(row.message) + "\n";
    }
    return out;
}

}  // namespace weft
