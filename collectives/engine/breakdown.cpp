#include "collectives/engine/breakdown.h"

namespace weft {

const char* name_of(Activity activity)
{
    switch (activity) {
    case Activity::overlap: return "overlap";
    case Activity::compute: return "compute";
    case Activity::communication: return "communication";
    case Activity::memory: return "memory";
    case Activity::cpu: return "cpu";
    case Activity::waiting: return "waiting";
    case Activity::idle: return "idle";
    case Activity::done: return "done";
    }
    return "";
}

Activity Breakdown::activity() const
{
    const auto any = [this](Doing doing) { return running_[static_cast<unsigned>(doing)] > 0; };
    if (any(Doing::compute)) return any(Doing::communication) ? Activity::overlap : Activity::compute;
    if (any(Doing::communication)) return Activity::communication;
    if (any(Doing::memory)) return Activity::memory;
    if (any(Doing::cpu)) return Activity::cpu;
    if (any(Doing::waiting)) return Activity::waiting;
    return done_ ? Activity::done : Activity::idle;
}

void Breakdown::pass(std::uint64_t now)
{
    spent_[static_cast<unsigned>(activity())] += now - since_;
    since_ = now;
}

void Breakdown::begin(Doing doing, std::uint64_t now)
{
    pass(now);
    ++running_[static_cast<unsigned>(doing)];
}

void Breakdown::end(Doing doing, std::uint64_t now)
{
    pass(now);
    --running_[static_cast<unsigned>(doing)];
}

void Breakdown::finish(std::uint64_t now)
{
    pass(now);
    done_ = true;
}

Breakdown::Times Breakdown::until(std::uint64_t end) const
{
    Times times = spent_;
    times[static_cast<unsigned>(activity())] += end - since_;
    return times;
}

}  // namespace weft
