// Huge pages for the memory that a simulation touches all the time.
#pragma once

#include <cstddef>

namespace weft {

// Asks for huge pages for the next `bytes` of the heap, which grows into them as it is used; nothing is allocated. A run touches
// tens of thousands of lines and rows of tags in no order: with pages of 4 KiB it waits for translations of addresses (a tenth to
// a fifth of its time). Where the allocator or the kernel does not offer it, nothing happens, and where a limit of the process is in
// the way there are fewer. Before anything large is allocated, and needs no library that is initialised.
void prefer_huge_pages(std::size_t bytes);

// How many bytes to ask for: half of the machine's memory, 512 MiB where that would be taken from other processes.
std::size_t huge_page_room();

}  // namespace weft

// In the file of `main`: calls a function before libraries are initialised. libsystemc fills 3 MiB then, which as pages of 4 KiB are
// two thirds of all pages that a short run touches. Sanitizers are not ready so early: with them it is before `main`.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_BEFORE_LIBRARIES(function) [[gnu::used]] const bool weft_before_libraries = ((function)(), true)
#else
#define WEFT_BEFORE_LIBRARIES(function)                                                                                \
    [[gnu::section(".preinit_array"), gnu::used]] void (*const weft_before_libraries)() = function
#endif
