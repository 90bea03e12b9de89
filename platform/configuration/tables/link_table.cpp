#include "platform/configuration/tables/link_table.h"

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/configuration/parameters/phrase.h"
#include "platform/configuration/tables/embedded_files.h"
#include "platform/configuration/tables/stated_rate.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

const std::vector<std::string>& kind_keys()
{
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> all{"like", "generic", "in_module", "names", "keywords", "family", "described_speed",
            "described_links", "lane_rate", "transfer", "lanes", "encoding", "source", "grade"};
        for (const std::string& name : info_of(block_of<LinkSpec>()).parameter_names()) all.push_back(name);
        return all;
    }();
    return keys;
}

std::uint64_t small_number(const std::string& text)
{
    std::uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9' || value > 100'000) return 0;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

// "32 GT/s" as transfers per second; 0 when malformed.
std::uint64_t transfers_per_second(const std::string& text)
{
    const std::size_t unit = text.find(" GT/s");
    return unit == std::string::npos ? 0 : small_number(text.substr(0, unit)) * 1'000'000'000;
}

// "200 g": a speed names no protocol where another word does.
bool is_speed(const std::vector<std::string>& phrase)
{
    return phrase.size() == 2 && small_number(phrase[0]) > 0 && phrase[1] == "g";
}

}  // namespace

const LinkTable& LinkTable::built_in()
{
    static const LinkTable table("links.yaml", embedded_file("links.yaml"));
    return table;
}

LinkTable::LinkTable(const std::string& file, const YamlTree& tree)
{
    Findings findings(file, false);
    const YamlSource source{tree, findings};
    std::string fallback;
    int fallback_line = 0;
    for (const YamlField& field : yaml_fields(source, tree.root(), "the link table", {"links", "fallback"})) {
        if (field.key == "fallback") {
            fallback = yaml_text(source, field).value_or("");
            fallback_line = field.line;
            continue;
        }
        for (const YamlField& kind : yaml_fields(source, field.value, "'links'", {})) read_kind(source, kind);
    }
    fallback_ = by_name(fallback);
    if (fallback_ == nullptr)
        findings.refuse(fallback_line, "the fallback is not a link of this table",
            expected_name("a link", fallback, names()));
    findings.throw_if_failed();
}

void LinkTable::read_kind(const YamlSource& source, const YamlField& field)
{
    const auto parts = yaml_fields(source, field.value, "link " + in_quotes(field.key), kind_keys());
    LinkKind kind;
    for (const YamlField& part : parts) {
        if (part.key != "like") continue;
        const std::string like = yaml_text(source, part).value_or("");
        const LinkKind* model = by_name(like);
        if (model == nullptr) {
            source.findings.refuse(part.line, "unknown link " + in_quotes(like),
                expected_name("an earlier link", like, names()));
            continue;
        }
        kind = *model;
        kind.generic = false;
        kind.in_module = false;
        kind.described_speed = false;
        kind.names.clear();
        kind.keywords.clear();
    }
    kind.name = field.key;
    kind.names.push_back(words_of(field.key));
    Transfer transfer = kind.transfer.value_or(Transfer());
    for (const YamlField& part : parts) {
        if (part.key == "names" || part.key == "keywords") {
            auto& list = part.key == "names" ? kind.names : kind.keywords;
            for (const YamlTree::Id item : yaml_items(source, part))
                list.push_back(words_of(yaml_text(source, item, "an entry of '" + part.key + "'").value_or("")));
        } else if (part.key == "generic") {
            kind.generic = yaml_flag(source, part).value_or(false);
        } else if (part.key == "in_module") {
            kind.in_module = yaml_flag(source, part).value_or(false);
        } else if (part.key == "described_speed") {
            kind.described_speed = yaml_flag(source, part).value_or(false);
        } else if (part.key == "described_links") {
            kind.described_links = yaml_flag(source, part).value_or(false);
        } else if (const auto parameter = info_of(block_of<LinkSpec>()).find(part.key)) {
            if (const auto figure = read_figure(source, part, block_of<LinkSpec>(), *parameter))
                kind.figures[*parameter] = *figure;
        } else if (part.key != "like") {
            const std::string text = yaml_text(source, part).value_or("");
            if (part.key == "family") kind.family = text;
            if (part.key == "lane_rate") kind.lane_rate = transfers_per_second(text);
            if (part.key == "source") transfer.source = text;
            if (part.key == "grade") transfer.grade = text;
            if (part.key == "lanes") transfer.lanes = small_number(text);
            if (part.key == "transfer") transfer.per_second = transfers_per_second(text);
            if (part.key == "encoding") {
                const std::size_t slash = text.find('/');
                transfer.payload = small_number(text.substr(0, slash));
                transfer.coded = slash == std::string::npos ? 0 : small_number(text.substr(slash + 1));
            }
            const bool bad = (part.key == "lanes" && transfer.lanes == 0) ||
                (part.key == "transfer" && transfer.per_second == 0) ||
                (part.key == "lane_rate" && kind.lane_rate == 0) ||
                (part.key == "encoding" && (transfer.payload == 0 || transfer.coded < transfer.payload));
            if (bad) source.findings.refuse(part.line, in_quotes(text) + " is not a value of '" + part.key + "'");
            if (part.key == "transfer") kind.figures.erase(*info_of(block_of<LinkSpec>()).find("bandwidth"));
        }
    }
    if (transfer.per_second > 0 && transfer.lanes > 0 && transfer.coded > 0) kind.transfer = transfer;
    kinds_.push_back(std::move(kind));
}

const LinkKind* LinkTable::by_name(const std::string& name) const
{
    for (const LinkKind& kind : kinds_)
        if (kind.name == name) return &kind;
    return nullptr;
}

std::vector<std::string> LinkTable::names() const
{
    std::vector<std::string> names;
    for (const LinkKind& kind : kinds_) names.push_back(kind.name);
    return names;
}

// Kinds that are not generic first, then the longest phrase, then the first in the table.
const LinkKind* LinkTable::find_keyword(const std::vector<std::string>& words) const
{
    const LinkKind* best = nullptr;
    std::size_t best_length = 0;
    for (const LinkKind& kind : kinds_) {
        for (const auto& phrase : kind.keywords) {
            if (find_phrase(words, phrase) < 0) continue;
            const std::size_t length = is_speed(phrase) ? 0 : phrase.size();
            const bool better = best == nullptr || (best->generic && !kind.generic) ||
                (best->generic == kind.generic && length > best_length);
            if (!better) continue;
            best = &kind;
            best_length = length;
        }
    }
    return best;
}

const LinkKind* LinkTable::named(const std::string& name) const
{
    const std::vector<std::string> words = words_of(name);
    for (const LinkKind& kind : kinds_)
        for (const auto& spelling : kind.names)
            if (spelling == words) return &kind;
    return nullptr;
}

const LinkKind* LinkTable::described(const std::string& description) const
{
    const std::vector<std::string> words = words_of(description);
    for (const LinkKind& kind : kinds_)
        if (kind.names.front() == words) return &kind;
    return find_keyword(words_in_order(description));
}

}  // namespace weft
