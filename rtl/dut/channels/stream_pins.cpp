#include "rtl/dut/channels/stream_pins.h"

#include <algorithm>

namespace weft {

void Beats::put(unsigned beat, Signal& data) const
{
    const unsigned from = beat * width_;
    const unsigned count = bits_in(beat);
    if (from % 8 == 0 && count % 8 == 0 && data.at % 8 == 0) {
        data.pin.copy_in(data.at, bytes_.data() + from / 8, count / 8);
    } else {
        const Pin all(const_cast<std::uint8_t*>(bytes_.data()), layout_.bytes() * 8 + 32);
        copy_bits(all, from, data.pin, data.at, count);
    }
}

void Beats::take(unsigned beat, const Signal& data)
{
    const unsigned to = beat * width_;
    const unsigned count = bits_in(beat);
    if (to % 8 == 0 && count % 8 == 0 && data.at % 8 == 0) {
        data.pin.copy_out(data.at, bytes_.data() + to / 8, count / 8);
    } else {
        Pin all(bytes_.data(), layout_.bytes() * 8 + 32);
        copy_bits(data.pin, data.at, all, to, count);
    }
}

void Beats::put_keep(unsigned beat, Signal& keep) const
{
    const unsigned bytes = (bits_in(beat) + 7) / 8;
    for (unsigned i = 0; i < keep.width; i += 32) {
        const unsigned count = std::min(32U, keep.width - i);
        const unsigned full = bytes > i ? std::min(count, bytes - i) : 0;
        keep.pin.set(keep.at + i, count, (std::uint64_t{1} << full) - 1);
    }
}

bool Beats::keep_fits(unsigned beat, const Signal& keep) const
{
    const unsigned bytes = (bits_in(beat) + 7) / 8;
    for (unsigned i = 0; i < keep.width; ++i)
        if ((keep.pin.get(keep.at + i, 1) != 0) != (i < bytes)) return false;
    return true;
}

}  // namespace weft
