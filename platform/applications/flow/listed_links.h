// Which links of a run the result lists.
#pragma once

#include <string>
#include <vector>

#include "platform/result/link_result.h"

namespace weft {

// All of them; of more than 10,000 the busiest of those whose names differ by numbers alone, which a notice tells.
std::vector<LinkResult> listed_links(std::vector<LinkResult> links, std::vector<std::string>& notices);

}  // namespace weft
