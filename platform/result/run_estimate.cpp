#include "platform/result/run_estimate.h"

#include <fmt/format.h>

namespace weft {

namespace {

std::string gigabytes(double bytes) { return fmt::format(bytes < 0.95e9 ? "{:.2f} GB" : "{:.1f} GB", bytes * 1e-9); }

}  // namespace

std::string RunEstimate::memory_text() const
{
    std::string out = fmt::format("about {} of memory ({} GPU{} {}", gigabytes(bytes()), gpus, gpus == 1 ? "" : "s",
        gigabytes(gpu_bytes));
    if (content_bytes > 0) out += ", contents of memories " + gigabytes(content_bytes);
    if (schedule_bytes > 0) out += ", schedule " + gigabytes(schedule_bytes);
    if (flight_bytes > 0) out += ", transactions in flight " + gigabytes(flight_bytes);
    return out + ")";
}

std::string RunEstimate::time_text() const
{
    if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
    if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
    if (seconds < 172800) return fmt::format("about {:.0f} h", seconds / 3600);
    return fmt::format("about {:.0f} days", seconds / 86400);
}

}  // namespace weft
