// Systems and workloads at random, for runs that are compared with themselves in parts and over processes.
#pragma once

#include <string>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace weft::testing {

// Always the same one for a seed; `what` says which one it is. Its files are in `folder`.
RunSetup random_setup(unsigned seed, const chakra::testing::Folder& folder, std::string& what);

}  // namespace weft::testing
