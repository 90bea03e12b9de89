// What leaves a slice for memory.
#include "sc_models/l2_slice.h"

namespace weft {

// Dirty sectors of a tag, a bit for each; as one transaction where there are wide ones.
void L2Slice::write_back_sectors(unsigned partition, std::uint64_t tag, std::uint32_t dirty, const std::uint8_t* bytes,
    Time delay)
{
    if (dirty == 5U && spec_.grain > line_bytes && bytes == nullptr) {
        write_back(partition, tag << sector_shift_, 2, nullptr, delay);
        return;
    }
    for (; dirty != 0; dirty &= dirty - 1)
        write_back(partition, tag << sector_shift_ | (dirty & 1U ? 0 : 1), 1, bytes, delay);
}

// `number`: of the first of the sectors.
void L2Slice::write_back(unsigned partition, std::uint64_t number, std::uint32_t sectors, const std::uint8_t* place,
    Time delay)
{
    written_back_ += sectors;
    Line& line = pool_.take();
    line.begin(LineOp::write, address_of(number), sectors * line_bytes).flag(LineHeader::refill_flag).source(endpoint_);
    if (CacheContents* const contents = part(partition).contents.get()) {
        contents->write_back(line.data(), place + sector_of(number) * line_bytes);
        write_backs_.add(number, line);
    }
    const unsigned home = home_of(number);
    if (home != partition) book_crossing(home, sectors * line_bytes);
    memory_of(home).send_request(line, delay);
}

}  // namespace weft
