#include "collectives/plans/mscclpp_forms.h"

#include <cctype>
#include <cstring>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr MscclppForm forms[] = {
    {"put", "L", "R", true},
    {"pws", "L", "R", true},
    {"pwsf", "L", "R", true},
    {"get", "R", "L", true},
    {"copy", "l", "l"},
    {"re", "L", "l"},
    {"res", "L", "lR"},
    {"rre", "lR", "l"},
    {"rres", "lR", "lR"},
    {"ppkt", "L", "R", true},
    {"cpkt", "l", "l"},
    {"upkt", "l", "l"},
    {"rppkt", "l", "R"},
    {"repkt", "lL", "l"},
    {"respkt", "lL", "lR"},
    {"recpkt", "lL", "ll"},
    {"recspkt", "lL", "llR"},
    {"glres", "g", "g"},
    {"gstore", "l", "g"},
    {"gstorepkt", "l", "g"},
    {"glre", "g", "l"},
};

const char* text_of(char kind)
{
    switch (kind) {
    case 'l': return "local";
    case 'r': return "remote";
    default: return "of a switch channel";
    }
}

// One letter for each operand.
std::string kinds_of(const JsonValue& op, const char* key, const MscclppFields& fields)
{
    std::string out;
    for (const JsonValue& entry : fields.value(op, key, JsonValue::Kind::list).items)
        out += entry.member("switch_channel_id") != nullptr ? 'g' : entry.member("buffer_id") != nullptr ? 'r' : 'l';
    return out;
}

bool fits(const std::string& kinds, const char* form)
{
    std::size_t at = 0;
    for (; *form != '\0'; ++form) {
        const char kind = static_cast<char>(std::tolower(*form));
        if (at == kinds.size() || kinds[at] != kind) return false;
        ++at;
        if (*form == kind) continue;
        while (at < kinds.size() && kinds[at] == kind) ++at;
    }
    return at == kinds.size();
}

// Such as "1 local, 3 remote".
std::string found_text(const std::string& kinds)
{
    if (kinds.empty()) return "nothing";
    std::string out;
    for (std::size_t at = 0; at < kinds.size();) {
        std::size_t end = at;
        while (end < kinds.size() && kinds[end] == kinds[at]) ++end;
        out += fmt::format("{}{} {}", at == 0 ? "" : ", ", end - at, text_of(kinds[at]));
        at = end;
    }
    return out;
}

// Such as "1 local, 1 or more remote".
std::string form_text(const char* form)
{
    std::string out;
    while (*form != '\0') {
        const char kind = static_cast<char>(std::tolower(*form));
        std::size_t least = 0;
        bool more = false;
        for (; std::tolower(*form) == kind; ++form, ++least) more = more || *form != kind;
        out += fmt::format("{}{}{} {}", out.empty() ? "" : ", ", least, more ? " or more" : "", text_of(kind));
    }
    return out;
}

}  // namespace

bool MscclppForm::in_switch() const
{
    return std::strchr(sources, 'g') != nullptr || std::strchr(destinations, 'g') != nullptr;
}

const MscclppForm* mscclpp_form(const std::string& name)
{
    for (const MscclppForm& form : forms)
        if (name == form.name) return &form;
    return nullptr;
}

std::string mscclpp_form_names()
{
    std::string out;
    for (const MscclppForm& form : forms) out += std::string(", ") + form.name;
    return out;
}

void check_operands(const JsonValue& op, const MscclppForm& form, const MscclppFields& fields)
{
    const std::string from = kinds_of(op, "src_buff", fields);
    const std::string to = kinds_of(op, "dst_buff", fields);
    const bool alike = !form.pairwise || from.size() == to.size();
    if (fits(from, form.sources) && fits(to, form.destinations) && alike) return;
    fields.refuse(op.line, fmt::format("{} reads {} and writes {}", form.name, found_text(from), found_text(to)),
        fmt::format("it to read {} and to write {}{}", form_text(form.sources), form_text(form.destinations),
            form.pairwise ? ", as many as it reads" : ""));
}

}  // namespace weft
