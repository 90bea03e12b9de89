// What a reader has found so far: problems that refuse a document and notices that do not. Problems
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

private:
    std::string file_;
    bool lenient_;
    std::vector<Diagnostic> problems_;
    std::vector<Notice> notices_;
    std::size_t unreported_ = 0;
};

// 'text' in quotes, shortened and with control characters replaced, fit for a one-line message.
std::string quoted(std::string_view text);

// "a component of device 'x' (did you mean 'y'?)": `kind`, with the nearest of `known` when there is one.
std::string expected_name(std::string kind, std::string_view name, const std::vector<std::string>& known);

}  // namespace weft
