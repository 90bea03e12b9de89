// An error in an input, its location, and the expected input: the one form in which Weft refuses
// bad input. `weft` prints one line per diagnostic on stderr and exits with 2.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace weft {

struct Diagnostic {
    std::string file;
    int line = 0;  // 1-based; 0 = the file as a whole
    std::string what;
    std::string expected;  // may be empty

    // "file:line: what; expected ..."
    std::string text() const;
};

// Thrown by every reader of user input. Holds at least one diagnostic.
class InputError : public std::runtime_error {
public:
    explicit InputError(Diagnostic diagnostic);
    explicit InputError(std::vector<Diagnostic> diagnostics);
    InputError(std::string file, int line, std::string what, std::string expected = "");

    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace weft
