#include "base/diagnostic.h"

namespace weft {

namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics)
{
    std::string all;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (!all.empty()) all += '\n';
        all += diagnostic.text();
    }
    return all;
}

}  // namespace

std::string Diagnostic::text() const
{
    std::string out = file;
    if (line > 0) out += (out.empty() ? "" : ":") + std::to_string(line);
    if (!out.empty()) out += ": ";
    out += what;
    if (!expected.empty()) out += "; expected " + expected;
    for (char& c : out)
        if (c == '\n' || c == '\r') c = ' ';
    return out;
}

InputError::InputError(Diagnostic diagnostic) : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics))
{
}

InputError::InputError(std::string file, int line, std::string what, std::string expected)
    : InputError(Diagnostic{std::move(file), line, std::move(what), std::move(expected)})
{
}

}  // namespace weft
