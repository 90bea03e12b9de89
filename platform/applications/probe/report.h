// The rows of a probe beside the published figures: as a table, as JSON and, for latency over footprints, as a picture.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/applications/probe/limits.h"
#include "platform/applications/probe/measure.h"
#include "platform/applications/probe/published.h"

namespace weft {

struct ProbeReport {
    std::string profile;  // of the first accelerator
    std::string system;
    std::size_t endpoints = 0;
    const PublishedPart* published = nullptr;              // null: nothing is
    ProbeResult result;                                    // of all parts
    std::map<std::string, std::vector<RateLimit>> limits;  // of bandwidth rows, smallest first

    const PublishedFigure* figure(const std::string& row) const;
    // The limit of the row; null for a row without limits.
    const RateLimit* bound(const std::string& row) const;
    // Against the middle of what is published, %.
    static double error_pct(double simulated, const PublishedFigure& figure);
};

// A sentence for each row that passes its bound by more than its documented error.
std::vector<std::string> beyond_bounds(const ProbeReport& report);

std::string probe_text(const ProbeReport& report);
std::string probe_json(const ProbeReport& report);
// The rows as lines of a table in Markdown.
std::string probe_markdown(const ProbeReport& report);
// The first curve; empty when there is none.
std::string probe_svg(const ProbeReport& report);

}  // namespace weft
