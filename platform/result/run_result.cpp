#include "platform/result/run_result.h"

namespace weft {

const char* name_of(StopReason reason)
{
    switch (reason) {
    case StopReason::finished: return "finished";
    case StopReason::deadlock: return "deadlock";
    case StopReason::until: return "until";
    case StopReason::interrupted: return "interrupted";
    case StopReason::wrong: return "wrong";
    }
    return "?";
}

int RunResult::exit_code() const
{
    switch (stop) {
    case StopReason::deadlock: return 3;
    case StopReason::interrupted: return 130;
    case StopReason::wrong: return 1;
    case StopReason::until:
    case StopReason::finished: break;
    }
    return verified == "failed" || protocol_problems > 0 ? 1 : 0;
}

}  // namespace weft
