#include "platform/applications/validation/measured.h"

#include <algorithm>

#include "base/units.h"
#include "platform/configuration/parameters/yaml_fields.h"

namespace weft {

namespace {

std::vector<std::string> texts(const YamlSource& source, const YamlField& field)
{
    std::vector<std::string> out;
    for (const YamlTree::Id item : yaml_items(source, field))
        if (const auto text = yaml_text(source, item, "an entry of " + in_quotes(field.key))) out.push_back(*text);
    return out;
}

// The value of a row as written; a row that is not run has it beside the reason.
std::string measured_text(const YamlSource& source, const YamlField& entry, MeasuredRow& row)
{
    if (source.tree.kind(entry.value) != YamlTree::Kind::mapping) return yaml_text(source, entry).value_or("");
    std::string out;
    for (const YamlField& field : yaml_fields(source, entry.value, in_quotes(entry.key), {"measured", "not_simulated"}))
        (field.key == "measured" ? out : row.not_simulated) = yaml_text(source, field).value_or("");
    if (row.not_simulated.empty())
        source.findings.refuse(entry.line, "row " + in_quotes(entry.key) + " has no reason",
            "'not_simulated': the reason why it is not run");
    return out;
}

void read_rows(const YamlSource& source, const YamlField& field, MeasuredTable& table)
{
    for (const YamlField& entry : yaml_fields(source, field.value, "'rows'", {})) {
        MeasuredRow row;
        row.key = entry.key;
        const std::optional<std::uint64_t> number = parse_bytes(entry.key);
        if (!number)
            source.findings.refuse(entry.line, in_quotes(entry.key) + " is not a row", "a size or a whole number");
        row.number = number.value_or(0);
        const std::string text = measured_text(source, entry, row);
        const bool time = table.quantity == MeasuredTable::Quantity::time;
        const std::optional<std::uint64_t> value = time ? parse_time_ps(text) : parse_rate(text);
        if (!value || *value == 0)
            source.findings.refuse(entry.line, in_quotes(text) + " is not a measured value",
                time ? "a time such as 27.76 us" : "a rate such as 365 GB/s");
        row.value = static_cast<double>(value.value_or(0)) * (time ? 1e-6 : 1e-9);
        if (!table.rows.empty() && row.number <= table.rows.back().number)
            source.findings.refuse(entry.line, "row " + in_quotes(entry.key) + " is not above the row before it",
                "rows in ascending order");
        row.line = entry.line;
        table.rows.push_back(std::move(row));
    }
}

RunVariant read_variant(const YamlSource& source, const YamlField& field)
{
    RunVariant out;
    out.name = field.key;
    if (source.tree.kind(field.value) != YamlTree::Kind::mapping) {
        out.options = texts(source, field);
        return out;
    }
    for (const YamlField& entry : yaml_fields(source, field.value, in_quotes(field.key), {"options", "from", "to"})) {
        if (entry.key == "options") {
            out.options = texts(source, entry);
            continue;
        }
        const std::optional<std::uint64_t> bound = parse_bytes(yaml_text(source, entry).value_or(""));
        if (!bound)
            source.findings.refuse(entry.line, in_quotes(entry.key) + " is not a row", "a size or a whole number");
        (entry.key == "from" ? out.from : out.to) = bound.value_or(0);
    }
    return out;
}

void read_launch(const YamlSource& source, const YamlField& field, MeasuredTable& table)
{
    const std::string text = yaml_text(source, field).value_or("");
    table.launch_fitted = text == "fitted";
    if (table.launch_fitted || text == "0") return;
    const std::optional<std::uint64_t> time = parse_time_ps(text);
    if (!time) source.findings.refuse(field.line, in_quotes(text) + " is not a launch time", "a time, 'fitted' or 0");
    table.launch_us = static_cast<double>(time.value_or(0)) * 1e-6;
}

// Before anything is run; what else has none is known from its run.
bool has_bandwidth(const MeasuredTable& table)
{
    const auto is_barrier = [](const std::vector<std::string>& options) {
        return std::find(options.begin(), options.end(), "--collective=barrier") != options.end();
    };
    return !is_barrier(table.options) &&
        std::none_of(table.variants.begin(), table.variants.end(),
            [&](const RunVariant& variant) { return is_barrier(variant.options); });
}

void read_table(const YamlSource& source, const YamlField& top, MeasuredTable& table)
{
    const std::vector<YamlField> fields = yaml_fields(source, top.value, "the table",
        {"title", "source", "remark", "system", "options", "variants", "over", "quantity", "launch", "launch_group",
            "largest", "free", "rows"});
    bool states_launch = false;
    for (const YamlField& field : fields) {
        if (field.key == "title") table.title = yaml_text(source, field).value_or("");
        if (field.key == "source") table.source = yaml_text(source, field).value_or("");
        if (field.key == "remark") table.remark = yaml_text(source, field).value_or("");
        if (field.key == "system") {
            table.system = yaml_text(source, field).value_or("");
            table.system_line = field.line;
        }
        if (field.key == "over") table.over = yaml_text(source, field).value_or("");
        if (field.key == "options") table.options = texts(source, field);
        if (field.key == "free") table.free = texts(source, field);
        if (field.key == "launch") {
            read_launch(source, field, table);
            states_launch = true;
        }
        if (field.key == "launch_group") {
            table.launch_group = yaml_text(source, field).value_or("");
            table.launch_group_line = field.line;
            if (table.launch_group.empty())
                source.findings.refuse(field.line, "'launch_group' is empty", "the software and the class of the host");
        }
        if (field.key == "largest") {
            table.largest = parse_bytes(yaml_text(source, field).value_or(""));
            if (!table.largest) source.findings.refuse(field.line, "'largest' is not a size", "a size such as 64 MiB");
        }
        if (field.key == "quantity") {
            const std::string text = yaml_text(source, field).value_or("");
            if (text != "time" && text != "busbw")
                source.findings.refuse(field.line, "unknown quantity " + in_quotes(text), "time or busbw");
            table.quantity = text == "busbw" ? MeasuredTable::Quantity::busbw : MeasuredTable::Quantity::time;
            table.quantity_line = field.line;
        }
        if (field.key == "variants")
            for (const YamlField& variant : yaml_fields(source, field.value, "'variants'", {}))
                table.variants.push_back(read_variant(source, variant));
    }
    // After the quantity, wherever that stands.
    for (const YamlField& field : fields)
        if (field.key == "rows") read_rows(source, field, table);
    if (table.variants.empty()) table.variants.emplace_back();
    if (table.quantity == MeasuredTable::Quantity::busbw && !has_bandwidth(table))
        source.findings.refuse(table.quantity_line, "'quantity: busbw' of a barrier, which moves no bytes",
            "quantity: time");
    for (const MeasuredRow& row : table.rows)
        if (row.not_simulated.empty() &&
            std::none_of(table.variants.begin(), table.variants.end(),
                [&row](const RunVariant& variant) { return variant.covers(row.number); }))
            source.findings.refuse(row.line, "no variant covers the row " + in_quotes(row.key),
                "a variant whose 'from' and 'to' hold it, or no such row");
    for (const auto& [value, key] :
        {std::pair(&table.title, "title"), std::pair(&table.source, "source"), std::pair(&table.system, "system")})
        if (value->empty())
            source.findings.refuse(top.line, std::string("the table has no '") + key + "'", std::string(key) + ": ...");
    if (!table.launch_group.empty() && !states_launch)
        source.findings.refuse(table.launch_group_line, "'launch_group' without 'launch'",
            "'launch': a time or 'fitted'");
    if (table.rows.empty()) source.findings.refuse(top.line, "the table has no 'rows'", "at least one");
    if (table.largest && !table.over_bytes())
        source.findings.refuse(top.line, "'largest' in a table over " + in_quotes(table.over), "over: bytes");
}

}  // namespace

MeasuredTable read_measured(const std::string& file, const std::string& text)
{
    const YamlTree tree(file, text);
    Findings findings(file, false);
    const YamlSource source{tree, findings};
    MeasuredTable table;
    table.file = file;
    bool found = false;
    for (const YamlField& top : yaml_fields(source, tree.root(), "the file", {"validation"})) {
        found = true;
        read_table(source, top, table);
    }
    if (!found) findings.refuse(1, "the file holds no 'validation'", "a table of measurements");
    findings.throw_if_failed();
    const std::size_t slash = file.rfind('/');
    if (slash != std::string::npos && table.system.front() != '/')
        table.system = file.substr(0, slash + 1) + table.system;
    return table;
}

}  // namespace weft
