// The heap lies in memory that asks for huge pages.
#include "base/huge_pages.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace huge_pages_test {

namespace {

// Of the mapping of this process that holds `place`: whether it is advised to use huge pages.
bool advised(const void* place)
{
    std::ifstream maps("/proc/self/smaps");
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::istringstream head(line);
        if (head >> std::hex >> begin >> dash >> end && dash == '-') inside = begin <= address && address < end;
        if (inside && line.rfind("VmFlags:", 0) == 0) return line.find(" hg") != std::string::npos;
    }
    return false;
}

}  // namespace

TEST(HugePages, AreAskedForWhereTheHeapGrows)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the allocator is another one";
#endif
    if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
        GTEST_SKIP() << "the kernel has no huge pages to offer";
    // Before libraries were initialised `main` asked for the first of the heap; never written, so nothing is behind it.
    const auto large = [](std::size_t mib) { return std::unique_ptr<char[]>(new char[mib << 20]); };
    EXPECT_TRUE(advised(large(8).get() + (std::size_t{4} << 20)));
    const std::size_t beyond = std::size_t{300} << 20;
    EXPECT_FALSE(advised(large(400).get() + beyond));
    weft::prefer_huge_pages(std::size_t{1} << 30);
    const auto first = large(400);
    const auto second = large(400);
    EXPECT_TRUE(advised(first.get() + beyond));
    EXPECT_TRUE(advised(second.get() + beyond));
}

TEST(HugePages, AreAskedForAsFarAsALimitOfTheProcessAllows)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the allocator is another one";
#endif
    if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
        GTEST_SKIP() << "the kernel has no huge pages to offer";
    EXPECT_GE(weft::huge_page_room(), std::size_t{512} << 20);
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = std::size_t{4} << 30;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    weft::prefer_huge_pages(std::size_t{1} << 40);
    const std::unique_ptr<char[]> large(new char[std::size_t{1500} << 20]);
    EXPECT_TRUE(advised(large.get() + (std::size_t{1400} << 20)));
}

}  // namespace huge_pages_test
