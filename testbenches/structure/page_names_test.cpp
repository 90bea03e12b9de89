// Pages name files that exist.
#include <gtest/gtest.h>

#include "testbenches/structure/page_names.h"

namespace page_names_test {

using namespace weft::structure;

TEST(PageNames, EveryFileAndLinkOfAPageExists)
{
    const std::set<std::string> files = read_file_names(WEFT_SOURCE_DIR);
    const std::vector<SourceFile> pages = read_pages(WEFT_SOURCE_DIR, files);
    EXPECT_GT(pages.size(), 100u);
    for (const SourceFile& page : pages)
        for (const Finding& finding : check_names(page, files)) ADD_FAILURE() << finding.text();
}

TEST(PageNames, AWrongNameIsReported)
{
    const std::set<std::string> files{"gpu/gpu.h", "gpu/gpu.cpp", "gpu/README.md", "docs/guide.md",
        "docs/models/l2.md"};
    const SourceFile page{"docs/guide.md",
        {"`gpu/gpu.h` and `gpu.cpp:12` declare it; see `gpu/`, [L2](models/l2.md#size), [top](../gpu), "
         "[w](https://w/x.md).",
            "`gpu/gone.h` had it, `sc_gone.cpp` too, and `gpu/old/`; see [HBM](models/hbm.md).", "```", "`gpu/user.h`",
            "```", "A user writes `plugins/mine/` and `--set l2.size=1MiB`."}};
    std::string text;
    for (const Finding& finding : check_names(page, files)) text += finding.text() + "\n";
    EXPECT_EQ(text,
        "docs/guide.md:2: names the file `gpu/gone.h`, which does not exist\n"
        "docs/guide.md:2: names the file `sc_gone.cpp`, which does not exist\n"
        "docs/guide.md:2: names the folder `gpu/old/`, which does not exist\n"
        "docs/guide.md:2: links to models/hbm.md, which does not exist\n");
}

}  // namespace page_names_test
