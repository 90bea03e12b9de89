#include "platform/run/report.h"

namespace weft {

std::string result_json(const RunResult&, bool) { return "{}\n"; }
std::string result_summary(const RunResult&) { return {}; }

}  // namespace weft
