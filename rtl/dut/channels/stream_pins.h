// The pins of one stream of one port.
#pragma once

#include <utility>
#include <vector>

#include "rtl/dut/port_map.h"
#include "rtl/verilated/pin.h"

namespace weft {

// Bits of a pin; none: the stream has no such signal.
struct Signal {
    Pin pin;
    unsigned at = 0;
    unsigned width = 0;

    explicit operator bool() const { return width != 0; }
    std::uint64_t get() const { return pin.get(at, width); }
    void set(std::uint64_t value) { pin.set(at, width, value); }
};

struct StreamPins {
    Signal valid;
    Signal ready;  // or credits
    Signal data;
    Signal keep;
    Signal last;
    Signal dest;
    Signal vc;
    Signal id;
    std::vector<std::pair<LineField, Signal>> fields;
};

// What travels with a line beside its bits, as far as the stream has signals for it.
struct LineOnPins {
    LineBits bits;
    unsigned dest = 0;  // output
    unsigned channel = 0;
    unsigned id = 0;             // input
    const void* line = nullptr;  // which transaction it is: its answer has the same
};

// A line as beats of the width of `data`.
class Beats {
public:
    Beats(const LineLayout& layout, unsigned data_width)
        : layout_(layout), width_(data_width), count_((layout.bits() + data_width - 1) / data_width),
          bytes_(std::size_t{count_} * data_width / 8 + layout.bytes() + 16)
    {
    }

    unsigned count() const { return count_; }
    void fill(const LineBits& line) { layout_.pack(line, bytes_.data()); }
    void read(LineBits& line) const { layout_.unpack(bytes_.data(), line); }
    void put(unsigned beat, Signal& data) const;
    void take(unsigned beat, const Signal& data);
    // Bit for each byte of a beat that holds something of the line.
    void put_keep(unsigned beat, Signal& keep) const;
    bool keep_fits(unsigned beat, const Signal& keep) const;

private:
    unsigned bits_in(unsigned beat) const { return beat + 1 < count_ ? width_ : layout_.bits() - beat * width_; }

    LineLayout layout_;
    unsigned width_;
    unsigned count_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace weft
