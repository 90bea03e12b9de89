#include "base/huge_pages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace weft {

std::size_t huge_page_room()
{
    constexpr std::size_t least = std::size_t{512} << 20;
    // 2: what is asked for counts against all other processes, whether it is used or not. Read by system calls: libraries need not
    // be initialised yet.
    char overcommit = '2';
    if (const int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC); file >= 0) {
        if (read(file, &overcommit, 1) != 1) overcommit = '2';
        close(file);
    }
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (overcommit == '2' || pages <= 0 || page <= 0) return least;
    return std::max(least, static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) / 2);
}

void prefer_huge_pages(std::size_t bytes)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
    // A block of the heap proper that is given back and stays: allocations come from it from now on.
    if (mallopt(M_MMAP_MAX, 0) == 0 || mallopt(M_TRIM_THRESHOLD, -1) == 0) return;
    constexpr std::size_t least = std::size_t{64} << 20;
    void* block = std::malloc(bytes);
    for (; block == nullptr && bytes > least; block = std::malloc(bytes)) bytes /= 2;  // a limit of the process
    if (block == nullptr) return;
    const auto begin = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
    if (begin < end)
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // NOLINT(performance-no-int-to-ptr)
    std::free(block);
#else
    static_cast<void>(bytes);
#endif
}

}  // namespace weft
