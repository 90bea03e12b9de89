// The findings of a reader so far: problems that refuse a document and notices that do not. Problems
// are collected, so that one run names everything that is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace weft {

// Something the user should know about a document that was accepted.
struct Notice {
    std::string file;
    int line = 0;  // 1-based; 0 = the file as a whole
    std::string text;
};

// 'text' in quotes, shortened and with control characters replaced, fit for a one-line message.
std::string in_quotes(std::string_view text);

// `kind` and the nearest of `known`, if any is near: see Findings::nearest.
std::string expected_name(std::string kind, std::string_view name, const std::vector<std::string>& known);

class Findings {
public:
    // `lenient` turns doubts into notices.
    Findings(std::string file, bool lenient) : file_(std::move(file)), lenient_(lenient) {}

    void refuse(int line, std::string what, std::string expected = "");

    // Wrong, but taken without complaint by the InfraGraph reference service: refused, or when lenient
    // a notice that also says what was made of it.
    void doubt(int line, std::string what, std::string expected, const std::string& taken_as);

    void note(int line, std::string text);

    const std::string& file() const { return file_; }
    bool lenient() const { return lenient_; }
    bool failed() const { return !problems_.empty(); }

    // Throws one InputError with every problem in the order of the lines.
    void throw_if_failed() const;

    std::vector<Notice> take_notices() { return std::move(notices_); }

    // "a component of device 'x' (did you mean 'y'?)": `kind`, with the nearest of the known names when
    // there is one. `names()` lists them. Once there is plenty to read already, it is not looked for:
    // the search costs far more than what it is about.
    template <typename Names>
    std::string nearest(std::string kind, std::string_view name, const Names& names) const
    {
        return has_plenty() ? std::move(kind) : expected_name(std::move(kind), name, names());
    }

private:
    bool has_plenty() const { return unreported_ > 0 || notices_.size() > 200; }

    std::string file_;
    bool lenient_;
    std::vector<Diagnostic> problems_;
    std::vector<Notice> notices_;
    std::size_t unreported_ = 0;
};

}  // namespace weft
