// Two results side by side.
//
// The change of a number is B / A - 1; of a part of a whole (a cause of waiting, the time that a link was busy) it is the
// difference over the whole of A, so that a cause that grew from 1 ps to 2 ps counts as what it is. A number that was 0 has changed without bound.
// Between a lower bound and another value no change is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/applications/compare/facts.h"
#include "platform/applications/compare/tolerance.h"

namespace weft {

struct Difference {
    Fact fact;  // of the first result, or of the second where only that has it
    bool in_a = true;
    bool in_b = true;
    std::optional<double> a;
    std::optional<double> b;
    std::string a_text;  // of words
    std::string b_text;
    std::optional<double> change;     // a share; infinite from 0
    std::optional<double> tolerance;  // nothing: not judged
    bool beyond = false;
    bool a_at_least = false;  // a value is a lower bound: with the other it has no change, and is not judged
    bool b_at_least = false;
};

struct ResultComparison {
    std::string a_file;
    std::string b_file;
    std::string a_title;
    std::string b_title;
    std::string schema;
    bool judged = false;                  // a tolerance was given
    std::size_t compared = 0;             // facts that both have, and that one has
    std::size_t within = 0;               // judged, and different, but not beyond
    std::vector<Difference> differences;  // by group, then in the order of the files
    std::vector<std::string> notices;

    std::size_t beyond() const;
};

// Throws InputError for results that are of different kinds, and for a tolerance that matches nothing.
ResultComparison compare_results(const Facts& a, const Facts& b, const Tolerances& tolerances);

}  // namespace weft
