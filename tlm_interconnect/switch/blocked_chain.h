// The chain of waits of a run without progress: from one blocked packet along full buffers to the cycle that they
// close, or to the place where a credit is owed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

// Lines that sit in one buffer and need room in another. A buffer is one virtual channel at the receiving end of a
// link direction.
struct BufferWait {
    std::string held;  // name of the buffer they sit in; empty: they start here
    std::string at;    // module they are in
    std::string
        wanted;  // name of the buffer that has no room; empty: `at` has lines and does not say what they wait for
    std::uint32_t lines = 0;
};

// One line of text per step. A name of a buffer ends with the module that it belongs to. A circle is preferred to a chain; where there is neither, nothing.
std::vector<std::string> blocked_chain(const std::vector<BufferWait>& waits);

}  // namespace weft
