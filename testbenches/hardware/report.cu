#include "testbenches/hardware/report.h"

#include <algorithm>
#include <cstdlib>

namespace hardware {

double quantile(std::vector<double> samples, double part)
{
    if (samples.empty()) {
        std::fprintf(stderr, "a row without samples\n");
        std::exit(1);
    }
    std::sort(samples.begin(), samples.end());
    const double at = part * static_cast<double>(samples.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, samples.size() - 1);
    return samples[low] + (samples[high] - samples[low]) * (at - static_cast<double>(low));
}

void Report::row(const std::string& name, const std::string& unit, std::vector<double> samples, const std::string& how)
{
    std::fprintf(stderr, "%-34s %12.4g %-6s (%.4g to %.4g)\n", name.c_str(), median(samples), unit.c_str(),
        quantile(samples, 0), quantile(samples, 1));
    rows_.push_back({name, unit, std::move(samples), how});
}

void Report::curve(Curve curve)
{
    std::fprintf(stderr, "%s:", curve.name.c_str());
    for (const auto& point : curve.points) std::fprintf(stderr, " %.6g:%.5g", point.first, point.second);
    std::fprintf(stderr, "\n");
    curves_.push_back(std::move(curve));
}

void Report::write(std::FILE* out) const
{
    std::fprintf(out, "{\n");
    for (const auto& fact : facts_) std::fprintf(out, "\"%s\": \"%s\",\n", fact.first.c_str(), fact.second.c_str());
    std::fprintf(out, "\"rows\": {");
    const char* comma = "\n";
    for (const Row& row : rows_) {
        std::fprintf(out,
            "%s  \"%s\": {\"median\": %.6g, \"low\": %.6g, \"p10\": %.6g, \"p90\": %.6g, \"high\": %.6g, "
            "\"samples\": %zu, \"unit\": \"%s\", \"how\": \"%s\"}",
            comma, row.name.c_str(), median(row.samples), quantile(row.samples, 0), quantile(row.samples, 0.1),
            quantile(row.samples, 0.9), quantile(row.samples, 1), row.samples.size(), row.unit.c_str(),
            row.how.c_str());
        comma = ",\n";
    }
    std::fprintf(out, "\n},\n\"curves\": {");
    comma = "\n";
    for (const Curve& curve : curves_) {
        std::fprintf(out, "%s  \"%s\": {\"x\": \"%s\", \"y\": \"%s\", \"how\": \"%s\",\n    \"points\": [", comma,
            curve.name.c_str(), curve.x.c_str(), curve.y.c_str(), curve.how.c_str());
        for (std::size_t i = 0; i < curve.points.size(); ++i)
            std::fprintf(out, "%s[%.10g, %.6g]", i == 0 ? "" : ", ", curve.points[i].first, curve.points[i].second);
        std::fprintf(out, "]}");
        comma = ",\n";
    }
    std::fprintf(out, "\n}\n}\n");
}

}  // namespace hardware
