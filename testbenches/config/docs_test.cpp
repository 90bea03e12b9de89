// docs/models/profiles.md says what the profiles say. WEFT_UPDATE_DOCS=1 writes it.
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/configuration/tables/profile.h"
#include "platform/configuration/tables/profile_text.h"

namespace weft::docs_test {
namespace {

TEST(Docs, ProfilesPageIsUpToDate)
{
    const std::string path = std::string(WEFT_SOURCE_DIR) + "/docs/models/profiles.md";
    if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) write_text_file(path, profiles_markdown());
    EXPECT_TRUE(read_text_file(path) == profiles_markdown()) << "run with WEFT_UPDATE_DOCS=1 to write " << path;
}

TEST(Docs, EveryKeyOfAProfileIsExplained)
{
    const std::string page = read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/own_profile.md");
    for (const std::string& key : profile_keys()) EXPECT_NE(page.find("| `" + key + "`"), std::string::npos) << key;
    for (const std::string& key : scale_up_keys())
        EXPECT_NE(page.find("| `scale_up." + key + "`"), std::string::npos) << key;
    for (const std::string& grade : figure_grades())
        EXPECT_NE(page.find("*" + grade + "*"), std::string::npos) << grade;
}

}  // namespace
}  // namespace weft::docs_test
