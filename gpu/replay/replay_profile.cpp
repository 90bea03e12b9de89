#include "gpu/replay/replay_profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "base/text_file.h"
#include "base/units.h"
#include "infragraph/findings.h"
#include "infragraph/yaml_tree.h"

namespace weft {

namespace {

enum Column : unsigned {
    c_gpu,
    c_time,
    c_to,
    c_kind,
    c_at,
    c_bytes,
    c_gap,
    c_repeat,
    c_value,
    c_after_flag,
    c_after_value,
    c_jitter,
    columns
};

const std::array<const char*, columns> column_names{"gpu", "time", "to", "kind", "at", "bytes", "gap", "repeat",
    "value", "after_flag", "after_value", "jitter"};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t most_repeats = 1'000'000'000;
constexpr std::size_t most_problems = 20;
constexpr std::size_t most_name = 1024;

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

// Decimal or 0x and hexadecimal.
std::optional<std::uint64_t> whole(std::string_view text)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex) text.remove_prefix(2);
    if (text.empty() || text.size() > (hex ? 16U : 19U)) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        const int digit = c >= '0' && c <= '9' ? c - '0'
            : hex && c >= 'a' && c <= 'f'      ? c - 'a' + 10
            : hex && c >= 'A' && c <= 'F'      ? c - 'A' + 10
                                               : -1;
        if (digit < 0) return std::nullopt;
        value = value * (hex ? 16 : 10) + static_cast<std::uint64_t>(digit);
    }
    return value;
}

// Collects rows from cells, whatever file they come from.
class RowReader {
public:
    explicit RowReader(const std::string& file)
    {
        profile_.file = file;
        profile_.names.emplace_back();
        names_[""] = 0;
    }

    std::optional<Column> column(std::string_view name, int line)
    {
        for (unsigned c = 0; c < columns; ++c)
            if (name == column_names[c]) return static_cast<Column>(c);
        const std::vector<std::string> known(column_names.begin(), column_names.end());
        problem(line, "unknown column " + in_quotes(name),
            expected_name("gpu, time, to, kind, at, bytes, gap, repeat, value, after_flag, after_value or jitter", name,
                known));
        return std::nullopt;
    }

    // An empty cell is one that is not there.
    void add(const std::array<std::string_view, columns>& cells, int line)
    {
        line_ = line;
        const std::size_t before = problems_.size();
        ReplayRow row;
        row.line = line;
        row.gpu = name(cells[c_gpu] == "*" ? std::string_view() : cells[c_gpu]);
        row.to = name(cells[c_to]);
        if (cells[c_to].empty()) missing("to", "the GPU that is written to: node name, rank, or +1 for the next rank");
        row.time = time("time", cells[c_time]);
        if (cells[c_time].empty()) missing("time", "picoseconds, or a time with its unit");
        row.gap = time("gap", cells[c_gap]);
        row.jitter = time("jitter", cells[c_jitter]);
        row.repeat = static_cast<std::uint32_t>(number("repeat", cells[c_repeat], 1, 1, most_repeats));
        read_kind(row, cells);
        if (!cells[c_after_flag].empty()) {
            row.after_flag = static_cast<std::uint32_t>(
                number("after_flag", cells[c_after_flag], 0, 0, ReplayProfile::most_flags - 1));
            row.after_value = number("after_value", cells[c_after_value], 1, 1, ReplayProfile::longest);
        } else if (!cells[c_after_value].empty()) {
            problem(line_, "'after_value' without 'after_flag'", "the number of the flag in 'after_flag'");
        }
        if (problems_.size() == before) check_end(row);
        if (problems_.size() == before) profile_.rows.push_back(row);
    }

    void problem(int line, std::string what, std::string expected)
    {
        if (problems_.size() < most_problems)
            problems_.push_back({profile_.file, line, std::move(what), std::move(expected)});
    }
    bool full() const { return problems_.size() >= most_problems; }

    ReplayProfile finish()
    {
        if (!problems_.empty()) throw InputError(std::move(problems_));
        return std::move(profile_);
    }

private:
    void missing(const char* key, const char* expected)
    {
        problem(line_, std::string("the row has no '") + key + "'", expected);
    }

    std::uint32_t name(std::string_view text)
    {
        if (text.size() > most_name) {
            problem(line_, "the name " + in_quotes(text) + " is too long", "a node name or a rank");
            return 0;
        }
        const auto [entry, fresh] = names_.try_emplace(std::string(text), profile_.names.size());
        if (fresh) profile_.names.emplace_back(text);
        return entry->second;
    }

    std::uint64_t time(const char* key, std::string_view text)
    {
        if (text.empty()) return 0;
        auto value = whole(text);
        if (!value) value = parse_time_ps(text);
        if (value && *value < ReplayProfile::longest) return *value;
        problem(line_, std::string("'") + key + "' is " + in_quotes(text),
            "whole picoseconds, or a time such as 2.5 us");
        return 0;
    }

    std::uint64_t number(const char* key, std::string_view text, std::uint64_t otherwise, std::uint64_t low,
        std::uint64_t high)
    {
        if (text.empty()) return otherwise;
        const auto value = whole(text);
        if (value && *value >= low && *value <= high) return *value;
        problem(line_, std::string("'") + key + "' is " + in_quotes(text),
            "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
        return low;
    }

    void read_kind(ReplayRow& row, const std::array<std::string_view, columns>& cells)
    {
        const std::string_view kind = cells[c_kind];
        if (kind == "flag") {
            row.kind = ReplayRow::Kind::flag;
            if (cells[c_at].empty()) missing("at", "the number of the flag");
            row.offset = number("at", cells[c_at], 0, 0, ReplayProfile::most_flags - 1);
            row.value = number("value", cells[c_value], 1, 1, ReplayProfile::longest);
            if (!cells[c_bytes].empty()) problem(line_, "a flag with 'bytes'", "'value', or kind write");
            return;
        }
        if (kind != "write" && kind != "read") {
            problem(line_, "'kind' is " + in_quotes(kind), "write, read or flag");
            return;
        }
        row.kind = kind == "write" ? ReplayRow::Kind::write : ReplayRow::Kind::read;
        if (!cells[c_value].empty())
            problem(line_, "a " + std::string(kind) + " with 'value'", "'bytes', or kind flag");
        read_place(row, cells[c_at]);
        if (cells[c_bytes].empty()) missing("bytes", "how many bytes");
        auto bytes = whole(cells[c_bytes]);
        if (!bytes) bytes = parse_bytes(cells[c_bytes]);
        row.bytes = bytes.value_or(0);
        if (!cells[c_bytes].empty() && (row.bytes == 0 || row.bytes > most_bytes))
            problem(line_, "'bytes' is " + in_quotes(cells[c_bytes]), "1 B to 1 TiB");
    }

    // "4096", "0x1000", "input", "scratch+0x40".
    void read_place(ReplayRow& row, std::string_view text)
    {
        const std::array<std::pair<const char*, ReplayRow::Place>, 3> buffers{{{"input", ReplayRow::Place::input},
            {"output", ReplayRow::Place::output}, {"scratch", ReplayRow::Place::scratch}}};
        const std::size_t plus = text.find('+');
        const std::string_view buffer = trimmed(text.substr(0, plus));
        std::string_view offset = text;
        for (const auto& [known, place] : buffers) {
            if (buffer != known) continue;
            row.place = place;
            offset = plus == std::string_view::npos ? "0" : trimmed(text.substr(plus + 1));
        }
        const auto value = whole(offset);
        row.offset = value.value_or(0);
        if (text.empty())
            missing("at", "an address, or a buffer with an offset: scratch+0x40");
        else if (!value || *value > most_bytes * 64)
            problem(line_, "'at' is " + in_quotes(text), "an address, or input, output or scratch with an offset");
    }

    // Times stay far from where they overflow.
    void check_end(const ReplayRow& row)
    {
        const std::uint64_t count = row.lines();
        const std::uint64_t most_lines = row.gap == 0 ? ReplayProfile::longest : ReplayProfile::longest / row.gap;
        if (count > most_lines / row.repeat || row.time + row.jitter > ReplayProfile::longest ||
            row.duration() > ReplayProfile::longest - row.time - row.jitter)
            problem(line_, "the row ends after the longest simulated time", "a shorter gap or fewer transactions");
    }

    ReplayProfile profile_;
    std::map<std::string, std::uint32_t> names_;
    std::vector<Diagnostic> problems_;
    int line_ = 0;
};

std::vector<std::string_view> cells_of(std::string_view line)
{
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t comma = line.find(',');
        cells.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

void read_csv(RowReader& reader, std::string_view text)
{
    std::vector<std::optional<Column>> header;
    int number = 0;
    while (!text.empty() && !reader.full()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++number;
        if (line.empty() || line.front() == '#') continue;
        const std::vector<std::string_view> cells = cells_of(line);
        if (header.empty()) {
            for (const std::string_view cell : cells) {
                header.push_back(reader.column(cell, number));
                for (std::size_t i = 0; i + 1 < header.size(); ++i)
                    if (header[i] && header[i] == header.back())
                        reader.problem(number, "column " + in_quotes(cell) + " occurs twice", "it once");
            }
            continue;
        }
        if (cells.size() != header.size()) {
            reader.problem(number,
                std::to_string(cells.size()) + " cells under a header of " + std::to_string(header.size()),
                "a cell for each column, which may be empty");
            continue;
        }
        std::array<std::string_view, columns> row;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (header[i]) row[*header[i]] = cells[i];
        reader.add(row, number);
    }
    if (header.empty() && !reader.full()) reader.problem(0, "has no header line", "time,to,kind,at,bytes,...");
}

void read_json(RowReader& reader, const std::string& file, const std::string& text)
{
    const YamlTree tree(file, text);
    YamlTree::Id rows = tree.root();
    if (tree.kind(rows) == YamlTree::Kind::mapping) {
        const bool good = tree.size(rows) == 1 && tree.text_or_empty(tree.key(rows, 0)) == "rows";
        if (!good) {
            reader.problem(tree.line(rows), "the top of the file is " + tree.describe(rows),
                "a list of rows, or {\"rows\": [...]}");
            return;
        }
        rows = tree.value(rows, 0);
    }
    if (tree.kind(rows) != YamlTree::Kind::sequence) {
        reader.problem(tree.line(rows), "the rows are " + tree.describe(rows), "a list");
        return;
    }
    for (std::uint32_t i = 0; i < tree.size(rows) && !reader.full(); ++i) {
        const YamlTree::Id item = tree.item(rows, i);
        if (tree.kind(item) != YamlTree::Kind::mapping) {
            reader.problem(tree.line(item), "a row is " + tree.describe(item), "a mapping such as {\"time\": 0, ...}");
            continue;
        }
        std::array<std::string_view, columns> row;
        std::array<bool, columns> given{};
        for (std::uint32_t k = 0; k < tree.size(item); ++k) {
            const YamlTree::Id value = tree.value(item, k);
            const std::string_view key = tree.text_or_empty(tree.key(item, k));
            const auto column = reader.column(key, tree.line(value));
            if (!column) continue;
            const YamlTree::Kind kind = tree.kind(value);
            if (kind == YamlTree::Kind::sequence || kind == YamlTree::Kind::mapping)
                reader.problem(tree.line(value), in_quotes(key) + " is " + tree.describe(value), "a number or a text");
            if (given[*column]) reader.problem(tree.line(value), in_quotes(key) + " occurs twice", "it once");
            given[*column] = true;
            row[*column] = trimmed(tree.text_or_empty(value));
        }
        reader.add(row, tree.line(item));
    }
}

}  // namespace

std::uint64_t ReplayRow::lines() const
{
    if (kind == Kind::flag) return 1;
    return (offset % line_bytes + bytes + line_bytes - 1) / line_bytes;
}

const char* name_of(ReplayRow::Kind kind)
{
    switch (kind) {
    case ReplayRow::Kind::write: return "write";
    case ReplayRow::Kind::read: return "read";
    case ReplayRow::Kind::flag: return "flag";
    }
    return "?";
}

ReplayProfile read_replay_text(const std::string& file, const std::string& text)
{
    RowReader reader(file);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (text[first] == '[' || text[first] == '{'))
        read_json(reader, file, text);
    else
        read_csv(reader, text);
    return reader.finish();
}

ReplayProfile read_replay_profile(const std::string& path)
{
    constexpr std::size_t limit = std::size_t{1} << 30;
    return read_replay_text(path, read_text_file(path, limit));
}

}  // namespace weft
