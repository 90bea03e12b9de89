// Huge pages for the memory that a simulation touches all the time.
#pragma once

#include <cstddef>

namespace weft {

// Asks for huge pages for the next `bytes` of the heap, which grows into them as it is used; nothing is allocated. A run touches
// tens of thousands of lines and rows of tags in no order: with pages of 4 KiB it waits for translations of addresses (a tenth to
// a fifth of its time). Where the allocator or the kernel does not offer it, nothing happens, and where a limit of the process is in
// the way there are fewer. Before anything large is allocated.
void prefer_huge_pages(std::size_t bytes);

// How many bytes to ask for: half of the machine's memory, 512 MiB where that would be taken from other processes.
std::size_t huge_page_room();

}  // namespace weft
