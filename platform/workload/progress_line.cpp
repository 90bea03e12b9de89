#include "platform/workload/progress_line.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/units.h"

namespace weft {

namespace {

constexpr std::chrono::seconds quiet_time{2};
constexpr std::chrono::seconds terminal_interval{1};
constexpr std::chrono::seconds log_interval{10};

}  // namespace

ProgressLine::ProgressLine(bool enabled, std::uint64_t expected_lines, std::string who)
    : who_(std::move(who)), enabled_(enabled), terminal_(::isatty(STDERR_FILENO) == 1), expected_(expected_lines),
      started_(Clock::now()), next_(started_ + quiet_time)
{
}

ProgressLine::~ProgressLine()
{
    if (printed_ && terminal_) std::fputs("\n", stderr);
}

void ProgressLine::restart()
{
    started_ = Clock::now();
    next_ = started_ + quiet_time;
}

bool ProgressLine::due() { return enabled_ && Clock::now() >= next_; }

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

void ProgressLine::print(Time simulated, std::uint64_t lines)
{
    const double rate = static_cast<double>(lines) / seconds();
    std::string text = fmt::format("weft: {}simulated {}, {:.1f} M transactions, {:.2f} M transactions/s", who_,
        format_time_ps(simulated), static_cast<double>(lines) / 1e6, rate / 1e6);
    if (expected_ > lines && rate > 0)
        text += fmt::format(", about {:.0f} s left", static_cast<double>(expected_ - lines) / rate);
    show(text);
}

void ProgressLine::show(const std::string& text)
{
    next_ = Clock::now() + (terminal_ ? terminal_interval : log_interval);
    printed_ = true;
    // A shorter line covers the one before.
    const std::string rest(shown_ > text.size() ? shown_ - text.size() : 0, ' ');
    shown_ = text.size();
    std::fputs((terminal_ ? "\r" + text + rest : text + "\n").c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace weft
