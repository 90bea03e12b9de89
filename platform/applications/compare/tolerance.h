// The permitted changes: the values of --tolerance; the last one that matches a fact applies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/applications/compare/facts.h"

namespace weft {

class Tolerances {
public:
    // "2%", "0.5 %" for all that is judged; "GROUP=P" or "PATTERN=P" for the facts it names; P may be "any".
    // Throws InputError for what is none of these.
    void add(const std::string& text);

    bool given() const { return !rules_.empty(); }
    // A share, 0.02 for 2 %. Nothing: the fact is not judged. Infinite for "any".
    std::optional<double> of(const Fact& fact) const;
    // Rules that matched no fact so far: of a misspelt pattern.
    std::vector<std::string> unused() const;

private:
    struct Rule {
        std::string text;
        std::string pattern;  // empty: all that is judged
        double share = 0;
        mutable bool used = false;
    };
    std::vector<Rule> rules_;
};

}  // namespace weft
