#include "platform/console/messages.h"

#include <cstdio>

#include "infragraph/findings.h"
#include "platform/console/standard_output.h"

namespace weft {

namespace {

bool output_good = true;
bool silent_process = false;

void print_line(const std::string& line)
{
    if (!silent_process) std::fwrite((line + "\n").data(), 1, line.size() + 1, stderr);
}

}  // namespace

void keep_silent(bool silent) { silent_process = silent; }

InputError usage_error(std::string what, std::string expected)
{
    return {"weft", 0, std::move(what), std::move(expected)};
}

void print_problems(const InputError& error)
{
    std::fflush(results());
    for (const Diagnostic& problem : error.diagnostics())
        print_line((problem.file.empty() && problem.line == 0 ? "weft: " : "") + problem.text());
}

void print_notices(const std::vector<std::string>& notices)
{
    for (const std::string& notice : notices) print_line("notice: " + notice);
}

void print(std::string_view text)
{
    if (silent_process) return;
    if (std::fwrite(text.data(), 1, text.size(), results()) != text.size()) output_good = false;
}

bool output_is_good() { return std::fflush(results()) == 0 && output_good; }

std::string quoted_word(std::string_view word) { return in_quotes(word); }

std::string one_of(const std::vector<std::string>& names)
{
    std::string out = names.size() == 1 ? "" : "one of ";
    for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ", ") + names[i];
    return out;
}

std::string with_nearest(std::string expected, std::string_view word, const std::vector<std::string>& known)
{
    return expected_name(std::move(expected), word, known);
}

std::string wrapped(std::string_view text, std::size_t column, std::size_t indent)
{
    std::string out;
    bool fresh = true;  // nothing on this line yet
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (!fresh && column + 1 + word.size() > page_width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
            fresh = true;
        }
        if (!fresh) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        fresh = false;
    }
    return out;
}

}  // namespace weft
