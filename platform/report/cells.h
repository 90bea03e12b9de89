// Cells of the report's tables: a text for people, and the exact number behind it.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "platform/report/page.h"

namespace weft {

HtmlCell time_cell(Time ps);
HtmlCell count_cell(std::uint64_t count);
HtmlCell number_cell(double value);
HtmlCell share_cell(double part, double whole);

}  // namespace weft
