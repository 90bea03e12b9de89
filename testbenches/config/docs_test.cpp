// docs/models/profiles.md says what the profiles say. WEFT_UPDATE_DOCS=1 writes it.
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/config/profile_text.h"

namespace weft::docs_test {
namespace {

TEST(Docs, ProfilesPageIsUpToDate)
{
    const std::string path = std::string(WEFT_SOURCE_DIR) + "/docs/models/profiles.md";
    if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) write_text_file(path, profiles_markdown());
    EXPECT_TRUE(read_text_file(path) == profiles_markdown())
        << "run with WEFT_UPDATE_DOCS=1 to write " << path;
}

}  // namespace
}  // namespace weft::docs_test
