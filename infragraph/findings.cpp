#include "infragraph/findings.h"

#include <algorithm>

#include "base/nearest.h"

namespace weft {

namespace {

constexpr std::size_t most_problems = 100;
constexpr std::size_t most_notices = 10000;
constexpr std::size_t longest_quote = 80;

}  // namespace

void Findings::refuse(int line, std::string what, std::string expected)
{
    if (problems_.size() >= most_problems) {
        ++unreported_;
        return;
    }
    problems_.push_back({file_, line, std::move(what), std::move(expected)});
}

void Findings::doubt(int line, std::string what, std::string expected, const std::string& taken_as)
{
    if (lenient_)
        note(line, what + "; " + taken_as);
    else
        refuse(line, std::move(what), std::move(expected));
}

void Findings::note(int line, std::string text)
{
    if (notices_.size() < most_notices)
        notices_.push_back({file_, line, std::move(text)});
    else if (notices_.size() == most_notices)
        notices_.push_back({file_, 0, "further notices are left out"});
}

void Findings::throw_if_failed() const
{
    if (problems_.empty()) return;
    std::vector<Diagnostic> problems = problems_;
    std::stable_sort(problems.begin(), problems.end(),
        [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
    if (unreported_ > 0) problems.push_back({file_, 0, "has " + std::to_string(unreported_) + " more problems", ""});
    throw InputError(std::move(problems));
}

std::string in_quotes(std::string_view text)
{
    std::string out = "'";
    for (const char c : text.substr(0, longest_quote)) out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    // Never cut a UTF-8 character in half.
    if (text.size() > longest_quote) {
        while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0x80U) != 0) out.pop_back();
        out += "...";
    }
    return out + "'";
}

std::string expected_name(std::string kind, std::string_view name, const std::vector<std::string>& known)
{
    // The edit distance is quadratic: only names of a sane length are worth comparing.
    constexpr std::size_t longest = 64;
    constexpr std::size_t most = 500;
    if (name.size() > longest) return kind;
    std::vector<std::string> candidates;
    for (const std::string& candidate : known)
        if (candidate.size() <= longest && candidates.size() < most) candidates.push_back(candidate);
    const std::string nearest = nearest_name(name, candidates);
    if (!nearest.empty()) kind += " (did you mean " + in_quotes(nearest) + "?)";
    return kind;
}

}  // namespace weft
