#include "platform/commands/version.h"

#include <weft_commit.h>

namespace weft {

std::string version_text()
{
    const std::string commit = WEFT_COMMIT;
    return "weft " WEFT_VERSION + (commit.empty() ? "" : " (commit " + commit + ")");
}

}  // namespace weft
