#include "platform/console/runs_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace weft {

std::string runs_progress_text(const std::string& who, std::size_t done, std::size_t all, double seconds)
{
    std::string out = fmt::format("{}: {} of {} runs done", who, done, all);
    if (done == 0 || done >= all) return out;
    const double left = std::max(1.0, seconds * static_cast<double>(all - done) / static_cast<double>(done));
    return out +
        (left < 90 ? fmt::format(", about {:.0f} s left", left) : fmt::format(", about {:.0f} min left", left / 60));
}

RunsProgress::RunsProgress(std::string who, std::size_t all, bool enabled)
    : who_(std::move(who)), all_(all), enabled_(enabled && ::isatty(STDERR_FILENO) != 0),
      started_(std::chrono::steady_clock::now())
{
}

RunsProgress::~RunsProgress()
{
    if (shown_ > 0) std::fputs("\n", stderr);
}

void RunsProgress::one_more()
{
    ++done_;
    if (!enabled_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const std::string text = runs_progress_text(who_, done_, all_, seconds);
    std::fputs(fmt::format("\r{:<{}}", text, shown_).c_str(), stderr);
    shown_ = text.size();
}

}  // namespace weft
