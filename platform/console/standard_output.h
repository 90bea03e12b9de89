// The standard output of the process, which carries results and nothing else.
#pragma once

#include <cstdio>

namespace weft {

// From now on results() alone writes to the standard output. Whatever else writes to descriptor 1 (the SystemC kernel,
// models of users, code they link) reaches stderr, and so do the warnings of SystemC.
void keep_output_for_results();

std::FILE* results();

}  // namespace weft
