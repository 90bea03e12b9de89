// The parts of the report of a run, from top to bottom.
#pragma once

#include "platform/configuration/resolved_system.h"
#include "platform/report/activity.h"
#include "platform/report/page.h"
#include "platform/result/run_result.h"

namespace weft {

void add_answer(HtmlPage& page, const RunResult& result);
void add_system(HtmlPage& page, const RunResult& result, const ResolvedSystem& system);
void add_timeline(HtmlPage& page, const RunResult& result, const RunActivity& activity);
// Of a trace: its path and its operations.
void add_trace(HtmlPage& page, const RunResult& result);
void add_critical_path(HtmlPage& page, const RunResult& result);
void add_ranks(HtmlPage& page, const RunResult& result);
void add_links_over_time(HtmlPage& page, const RunResult& result);
void add_link_table(HtmlPage& page, const RunResult& result);
void add_operations(HtmlPage& page, const RunResult& result, const RunActivity& activity);
void add_statistics(HtmlPage& page, const RunResult& result);
void add_energy(HtmlPage& page, const RunResult& result);
void add_parameters(HtmlPage& page, const RunResult& result);
void add_warnings(HtmlPage& page, const RunResult& result);

}  // namespace weft
