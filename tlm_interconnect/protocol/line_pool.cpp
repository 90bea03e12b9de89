#include "tlm_interconnect/protocol/line_pool.h"

#include <cstring>
#include <new>

namespace weft {

LinePool::~LinePool()
{
    for (std::uint8_t* block : blocks_) {
        for (std::size_t i = 0; i < block_lines; ++i)
            std::launder(reinterpret_cast<Line*>(block + i * stride_))->~Line();
        ::operator delete (block, std::align_val_t{alignof(Line)});
    }
}

void LinePool::grow()
{
    void* memory = ::operator new (stride_* block_lines, std::align_val_t{alignof(Line)});
    auto* block = static_cast<std::uint8_t*>(memory);
    blocks_.push_back(block);
    for (std::size_t i = block_lines; i-- > 0;) {
        Line* line = new (block + i * stride_) Line(this, roomy());
        std::memset(block + i * stride_ + sizeof(Line), 0, stride_ - sizeof(Line));
        line->next = free_;
        free_ = line;
    }
    capacity_ += block_lines;
}

void LinePool::free(tlm::tlm_generic_payload* payload)
{
    LineExtension* extension = nullptr;
    payload->get_extension(extension);
    Line& line = *extension->line;
    line.marks = 0;
    push(line);
}

}  // namespace weft
