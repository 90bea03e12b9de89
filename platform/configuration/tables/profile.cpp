#include "platform/configuration/tables/profile.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/configuration/parameters/phrase.h"
#include "platform/configuration/parameters/routing_spec.h"
#include "platform/configuration/tables/embedded_files.h"
#include "platform/configuration/tables/link_table.h"

namespace weft {

namespace {

const ParameterInfo links_info{"links", Unit::count, 1, 1024, "", {}};
const ParameterInfo rate_info{"rate", Unit::rate, 1'000'000, 100'000'000'000'000, "", {}};

void read_scale_up_figure(const YamlSource& source, const YamlField& field, const ParameterInfo& info,
    std::optional<Figure>& out)
{
    const auto text = read_figure_text(source, field);
    if (!text) return;
    const auto value = parse_value(info, text->value);
    if (!value || *value < info.low || *value > info.high) {
        source.findings.refuse(text->line, in_quotes(text->value) + " is not a value of scale_up." + info.name,
            describe_range(info));
        return;
    }
    out = Figure{*value, text->source, text->grade, {}, text->line};
}

// A family or a link that the table does not have would join nothing.
void read_link_name(const YamlSource& source, const YamlField& field, const std::string& text, std::string& out)
{
    const bool family = field.key == "family";
    std::vector<std::string> known;
    for (const LinkKind& kind : LinkTable::built_in().kinds())
        if (const std::string& name = family ? kind.family : kind.name; !name.empty()) known.push_back(name);
    if (std::find(known.begin(), known.end(), text) == known.end())
        source.findings.refuse(field.line, in_quotes(text) + " is not a " + field.key + " of the link table",
            expected_name(family ? "a family of links" : "a link", text, known));
    out = text;
}

// Edges of the profile's own link would not share out its links. `line`: of what the file says last of the two.
void check_family(const YamlSource& source, const Profile::ScaleUp& scale_up, int line)
{
    const LinkTable& table = LinkTable::built_in();
    const LinkKind* link = table.by_name(scale_up.link);
    if (link == nullptr || scale_up.has(link->family)) return;
    std::vector<std::string> of_family;
    for (const LinkKind& kind : table.kinds())
        if (kind.family == scale_up.family) of_family.push_back(kind.name);
    if (scale_up.family.empty() || of_family.empty()) return;  // not stated, or refused already
    source.findings.refuse(line,
        "scale_up.link = " + scale_up.link + " is of " +
            (link->family.empty() ? "no family" : "family " + link->family) + ", but scale_up.family is " +
            scale_up.family,
        "a link of that family: " + joined_names(of_family));
}

void read_scale_up(const YamlSource& source, const YamlField& field, Profile::ScaleUp& out)
{
    int line = 0;
    for (const YamlField& part : yaml_fields(source, field.value, "'scale_up'", scale_up_keys())) {
        if (part.key == "links") {
            read_scale_up_figure(source, part, links_info, out.links);
        } else if (part.key == "rate") {
            read_scale_up_figure(source, part, rate_info, out.rate);
        } else if (const auto text = yaml_text(source, part)) {
            read_link_name(source, part, *text, part.key == "family" ? out.family : out.link);
            line = std::max(line, part.line);
        }
    }
    if (line > 0) check_family(source, out, line);
}

// What a profile takes over from its base is marked with the profile that states it.
void mark_inherited(Profile& profile, const std::string& base)
{
    const auto mark = [&base](Figure& figure) {
        if (figure.inherited_from.empty()) figure.inherited_from = base;
        figure.line = 0;
    };
    for (auto& [block, figures] : profile.figures)
        for (auto& entry : figures) mark(entry.second);
    for (std::optional<Figure>* figure : {&profile.scale_up.links, &profile.scale_up.rate})
        if (*figure) mark(**figure);
}

bool is_table(const std::string& file)
{
    return file == "links.yaml" || file == "nodes.yaml" || file == "published.yaml";
}

bool has_base(const YamlTree& tree)
{
    for (std::uint32_t i = 0; i < tree.size(tree.root()); ++i)
        if (tree.text_or_empty(tree.key(tree.root(), i)) == "base") return true;
    return false;
}

}  // namespace

const std::vector<std::string>& profile_keys()
{
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> out{"profile", "description", "match", "base", "scale_up"};
        const BlockTable& blocks = *BlockTable::built_in();
        for (const Block block : blocks.all())
            if (on_nodes(blocks[block])) out.push_back(blocks[block].name());
        out.push_back(info_of(block_of<RoutingSpec>()).name());
        return out;
    }();
    return keys;
}

const std::vector<std::string>& scale_up_keys()
{
    static const std::vector<std::string> keys{"family", "link", "links", "rate"};
    return keys;
}

bool is_profile_file(const std::string& name)
{
    return name.find('/') != std::string::npos || (name.size() > 5 && name.compare(name.size() - 5, 5, ".yaml") == 0);
}

ProfileStore::ProfileStore()
{
    // Their text is read once: it takes more time than a small system. No pointer goes with the copy: only files have one.
    static const ProfileStore built_in{BuiltIn()};
    *this = built_in;
}

ProfileStore::ProfileStore(BuiltIn)
{
    // A profile may be based on one of a later name: those without a base come first.
    for (const bool based : {false, true})
        for (const EmbeddedFile& file : embedded_files())
            if (!is_table(file.name) && has_base(file.tree) == based) read(file.name, file.tree);
    built_in_ = profiles_.size();
}

Profile& ProfileStore::read(const std::string& file, const YamlTree& tree)
{
    Findings findings(file, false);
    const YamlSource source{tree, findings};
    const auto fields = yaml_fields(source, tree.root(), "the profile", profile_keys());
    Profile profile;
    for (const YamlField& field : fields) {
        if (field.key != "base") continue;
        const auto base = yaml_text(source, field);
        const Profile* found = base ? find(*base) : nullptr;
        if (base && found == nullptr)
            findings.refuse(field.line, "unknown profile " + in_quotes(*base),
                expected_name("a built-in profile", *base, names()));
        if (found != nullptr) {
            profile = *found;
            mark_inherited(profile, found->name);
        }
    }
    profile.name = file;
    profile.match.clear();
    for (const YamlField& field : fields) {
        if (field.key == "profile") {
            profile.name = yaml_text(source, field).value_or(file);
        } else if (field.key == "description") {
            profile.description = yaml_text(source, field).value_or("");
        } else if (field.key == "match") {
            for (const YamlTree::Id item : yaml_items(source, field))
                profile.match.push_back(yaml_text(source, item, "an entry of 'match'").value_or(""));
        } else if (field.key == "scale_up") {
            read_scale_up(source, field, profile.scale_up);
        } else if (const auto block = BlockTable::built_in()->find(field.key)) {
            for (auto& [parameter, figure] : read_figures(source, field, *block))
                profile.figures[*block][parameter] = figure;
        }
    }
    findings.throw_if_failed();
    for (const Notice& notice : findings.take_notices())
        notices_.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    profiles_.push_back(std::move(profile));
    return profiles_.back();
}

const Profile* ProfileStore::find(const std::string& name) const
{
    for (const Profile& profile : profiles_)
        if (profile.name == name) return &profile;
    return nullptr;
}

const Profile* ProfileStore::get(const std::string& name, const std::string& file, int line)
{
    if (is_profile_file(name)) {
        for (const auto& [known, profile] : files_)
            if (known == name) return profile;
        constexpr std::size_t limit = std::size_t{1} << 24;
        std::string text;
        try {
            text = read_text_file(name, limit);
        } catch (const InputError& error) {
            throw InputError(file, line, "profile " + in_quotes(name) + " " + error.diagnostics().front().what,
                "a readable file or one of the built-in profiles");
        }
        Profile& profile = read(name, YamlTree(name, text));
        profile.file = name;
        files_.emplace_back(name, &profile);
        return &profile;
    }
    for (std::size_t i = 0; i < built_in_; ++i)
        if (profiles_[i].name == name) return &profiles_[i];
    std::string expected = expected_name("a profile", name, names());
    if (expected == "a profile") expected += ": " + joined_names(names());
    throw InputError(file, line, "unknown profile " + in_quotes(name), expected);
}

const Profile* ProfileStore::matching(const std::string& text) const
{
    const std::vector<std::string> words = words_of(text);
    const Profile* best = nullptr;
    int best_position = 0;
    for (std::size_t i = 0; i < built_in_; ++i) {
        for (const std::string& phrase : profiles_[i].match) {
            const int position = find_phrase(words, words_of(phrase));
            if (position < 0 || (best != nullptr && position >= best_position)) continue;
            best = &profiles_[i];
            best_position = position;
        }
    }
    return best;
}

std::vector<std::string> ProfileStore::all_matching(const std::string& text) const
{
    const std::vector<std::string> words = words_of(text);
    std::vector<std::pair<int, std::string>> found;
    for (std::size_t i = 0; i < built_in_; ++i) {
        int first = -1;
        for (const std::string& phrase : profiles_[i].match) {
            const int position = find_phrase(words, words_of(phrase));
            if (position >= 0 && (first < 0 || position < first)) first = position;
        }
        if (first >= 0) found.emplace_back(first, profiles_[i].name);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    for (auto& [position, name] : found) out.push_back(std::move(name));
    return out;
}

std::vector<std::string> ProfileStore::names() const
{
    std::vector<std::string> names;
    const std::size_t count = built_in_ == 0 ? profiles_.size() : built_in_;
    for (std::size_t i = 0; i < count; ++i) names.push_back(profiles_[i].name);
    return names;
}

}  // namespace weft
