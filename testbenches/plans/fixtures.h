// Small plans for tests, and how to make them wrong.
#pragma once

#include <string>

#include "collectives/plans/plan.h"

namespace weft::plans_test {

// All-reduce of two chunks between two ranks, in place; rank 0 has a second block that copies a sum to scratch. Line 1
// is <algo>.
extern const std::string pair_xml;

// The same as an MSCCL++ plan: every rank reduces one chunk of both and stores it to both. Line 1 is {.
extern const std::string pair_json;

// `text` with the first `from` replaced by `to`; fails the test when there is none.
std::string with(std::string text, const std::string& from, const std::string& to);

// All problems of a plan, one per line, as a user sees them.
std::string problems_of(const Plan& plan);

// What the reader throws; empty when it does not.
std::string refusal_of_xml(const std::string& text);
std::string refusal_of_json(const std::string& text);

}  // namespace weft::plans_test
