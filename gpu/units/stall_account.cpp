#include "gpu/units/stall_account.h"

namespace weft {

const char* name_of(StallCause cause)
{
    switch (cause) {
    case StallCause::none: return "busy";
    case StallCause::issue: return "issue";
    case StallCause::registers: return "registers";
    case StallCause::loads: return "loads";
    case StallCause::outstanding: return "unit_outstanding";
    case StallCause::fence: return "acknowledge";
    case StallCause::flag: return "flag";
    case StallCause::barrier: return "barrier";
    case StallCause::compute: return "compute";
    case StallCause::queued: return "queued";
    }
    return "?";
}

}  // namespace weft
