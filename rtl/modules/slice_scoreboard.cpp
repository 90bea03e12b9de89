#include "rtl/modules/slice_scoreboard.h"

#include <fmt/format.h>

#include "rtl/cache/llc_line.h"
#include "rtl/modules/line_pins.h"
#include "rtl/modules/slice_block_spec.h"
#include "sc_models/l2/slice_model.h"
#include "sc_models/memory/memory_access.h"

namespace weft {

namespace {

constexpr std::uint64_t number_mask = (std::uint64_t{1} << slice_number_bits) - 1;
constexpr std::uint8_t generation_mask = (1U << (42 - slice_number_bits)) - 1;

void read_line(const MemoryImage& image, std::uint64_t local, SliceScoreboard::Contents& out)
{
    out.fill(0);
    image.read(local / line_bytes * line_bytes, out.data(), line_bytes);
}

bool holds(const LineBits& bits, const SliceScoreboard::Contents& contents)
{
    return std::memcmp(bits.data(), contents.data(), line_bytes) == 0;
}

}  // namespace

SliceScoreboard::SliceScoreboard(MemoryImage& image, std::uint32_t slices, std::uint32_t index, std::uint32_t endpoint,
    std::uint32_t entries)
    : image_(image), dram_(image.data_on()), released_(image.data_on()), slices_(slices), index_(index),
      endpoint_(static_cast<std::uint16_t>(endpoint)), fills_(entries)
{
    image.watch(*this);
}

std::uint64_t SliceScoreboard::local_of_number(std::uint64_t number) const
{
    return line_of_place(number, index_, slices_) * line_bytes;
}

std::uint64_t SliceScoreboard::pin_line(std::uint64_t number, const SliceLines::State& state) const
{
    return number | std::uint64_t{state.generation} << slice_number_bits;
}

std::uint64_t SliceScoreboard::address_of(const LineBits& bits) const
{
    return local_of_number(line_number(bits) & number_mask) + bits.address() % line_bytes;
}

// A request comes to a line: from then on DRAM and the image may differ.
SliceLines::State& SliceScoreboard::touch(std::uint64_t number)
{
    SliceLines::State& state = lines_[number];
    if (state.use == SliceLines::Use::live) return state;
    if (state.use == SliceLines::Use::released) {
        state.generation = static_cast<std::uint8_t>((state.generation + 1) & generation_mask);
        for (std::uint32_t tag = state.first; tag != none; tag = flights_[tag].next) flights_[tag].apart = true;
        state.first = state.last = none;
        state.on_its_way = false;
    }
    state.use = SliceLines::Use::live;
    Contents contents;
    read_line(image_, local_of_number(number), contents);
    dram_.write(number * line_bytes, contents.data(), line_bytes);
    return state;
}

std::uint32_t SliceScoreboard::enter(Line& line, Time now)
{
    std::uint32_t tag = first_free_;
    if (tag == none) {
        tag = static_cast<std::uint32_t>(flights_.size());
        flights_.emplace_back();
    } else {
        first_free_ = flights_[tag].next;
    }
    Flight& flight = flights_[tag];
    flight.line = &line;
    flight.number = number_of(local_of(line.address));
    flight.entered = now;
    flight.next = none;
    flight.apart = false;
    SliceLines::State& state = touch(flight.number);
    read_line(image_, local_of(line.address), flight.before);
    set_bits(flight, tag, state);
    if (state.last != none) {
        flights_[state.last].next = tag;
    } else {
        state.first = tag;
    }
    state.last = tag;
    ++inside_;
    return tag;
}

// Carries the request out in the image, too.
void SliceScoreboard::set_bits(Flight& flight, std::uint32_t tag, const SliceLines::State& state)
{
    Line& line = *flight.line;
    const std::uint64_t offset = line.address % line_bytes;
    bits_of(line, LineClass::request, tag, flight.request);
    flight.request.set_place(line.destination, pin_line(flight.number, state) * line_bytes + offset);
    if (!image_.data_on()) std::memset(flight.request.data(), 0, line_bytes);
    if ((line.flags & LineHeader::packet_flag) != 0) {
        access_packets(image_, line);
    } else {
        access_data(image_, line);
    }
    flight.answer = flight.request;
    flight.answer.set_rest(flight.request.source(), flight.request.op(), true, flight.request.size(),
        flight.request.function(), flight.request.flags(), tag, false);
    LineBits after;
    bits_of(line, LineClass::response, tag, after);
    if (image_.data_on()) std::memcpy(flight.answer.data(), after.data(), line_bytes);
}

SliceScoreboard::Flight* SliceScoreboard::answered(const LineBits& bits, std::string& problem)
{
    const std::uint32_t tag = bits.tag();
    if (tag >= flights_.size() || flights_[tag].line == nullptr) {
        problem = fmt::format("a response to no request, or a second one ({})", describe(bits));
        return nullptr;
    }
    Flight& flight = flights_[tag];
    const std::string what = difference(flight.answer, bits);
    if (!what.empty()) {
        problem = fmt::format("{} ({})", what, describe(flight.answer));
        return nullptr;
    }
    if (flight.apart) return &flight;
    SliceLines::State& state = lines_[flight.number];
    if (state.first != tag) {
        problem = fmt::format("a response ahead of that of an earlier request to its line, which has tag {} ({})",
            state.first, describe(bits));
        return nullptr;
    }
    state.first = flight.next;
    if (state.first == none) state.last = none;
    return &flight;
}

void SliceScoreboard::free(std::uint32_t tag)
{
    flights_[tag].line = nullptr;
    flights_[tag].next = first_free_;
    first_free_ = tag;
    --inside_;
}

std::string SliceScoreboard::read(const LineBits& bits)
{
    const std::uint32_t tag = bits.tag();
    if (tag >= fills_.size())
        return fmt::format("tag: expected below {}, got {} ({})", fills_.size(), tag, describe(bits));
    if (fills_[tag].busy) return fmt::format("a read with the tag of a read in flight ({})", describe(bits));
    LineBits expected = bits;
    address_memory(expected, line_number(bits), endpoint_, false, tag);
    const std::string what = difference(expected, bits);
    if (!what.empty()) return fmt::format("{} ({})", what, describe(expected));
    const std::uint64_t number = line_number(bits) & number_mask;
    SliceLines::State& state = lines_[number];
    if (line_number(bits) == pin_line(number, state)) {
        if (state.first == none) return fmt::format("a read of a line that no request needs ({})", describe(bits));
        if (state.on_its_way) return fmt::format("a second read of a line that is being read ({})", describe(bits));
        state.on_its_way = true;
    }
    fills_[tag].busy = true;
    fills_[tag].line = line_number(bits);
    read_line(dram_, number * line_bytes, fills_[tag].data);
    return {};
}

std::string SliceScoreboard::wrote(const LineBits& bits)
{
    LineBits expected = bits;
    address_memory(expected, line_number(bits), endpoint_, true, 0);
    const std::string what = difference(expected, bits);
    if (!what.empty()) return fmt::format("{} ({})", what, describe(expected));
    const std::uint64_t number = line_number(bits) & number_mask;
    SliceLines::State& state = lines_[number];
    if (state.use == SliceLines::Use::untouched)
        return fmt::format("a write of a line that no request wrote ({})", describe(bits));
    // A line of memory that was released and is in use again: nobody misses it.
    if (line_number(bits) != pin_line(number, state)) return {};

    Contents newest;
    if (state.use == SliceLines::Use::released) {
        read_line(released_, number * line_bytes, newest);
    } else {
        read_line(image_, local_of_number(number), newest);
    }
    bool right = holds(bits, newest);
    for (std::uint32_t tag = state.first; !right && tag != none; tag = flights_[tag].next)
        right = holds(bits, flights_[tag].before);
    if (!right) {
        const Contents& oldest = state.first == none ? newest : flights_[state.first].before;
        std::memcpy(expected.data(), oldest.data(), line_bytes);
        return fmt::format("{} ({})", difference(expected, bits), describe(bits));
    }
    dram_.write(number * line_bytes, bits.data(), line_bytes);
    return {};
}

void SliceScoreboard::fill(std::uint32_t entry, LineBits& bits) const
{
    address_memory(bits, fills_[entry].line, endpoint_, false, entry);
    std::memcpy(bits.data(), fills_[entry].data.data(), line_bytes);
}

void SliceScoreboard::filled(std::uint32_t entry)
{
    fills_[entry].busy = false;
    const std::uint64_t number = fills_[entry].line & number_mask;
    SliceLines::State& state = lines_[number];
    if (fills_[entry].line == pin_line(number, state)) state.on_its_way = false;
}

void SliceScoreboard::release(std::uint64_t number, SliceLines::State& state)
{
    if (state.use != SliceLines::Use::live) return;
    Contents contents;
    read_line(image_, local_of_number(number), contents);
    released_.write(number * line_bytes, contents.data(), line_bytes);
    state.use = SliceLines::Use::released;
}

void SliceScoreboard::on_bypass(std::uint64_t local, std::uint64_t bytes)
{
    if (bytes == 0) return;
    const std::uint64_t first = local / line_bytes;
    const std::uint64_t last = (local + bytes - 1) / line_bytes;
    lines_.for_each(slices_.quotient(first), slices_.quotient(last) + 1,
        [&](std::uint64_t number, SliceLines::State& state) {
            const std::uint64_t line = line_of_place(number, index_, slices_);
            if (line >= first && line <= last) release(number, state);
        });
}

std::string SliceScoreboard::lost_line()
{
    std::string out;
    lines_.for_each(0, number_mask, [&](std::uint64_t number, const SliceLines::State& state) {
        if (!out.empty()) return;
        LineBits should;
        LineBits is;
        Contents contents;
        if (state.use == SliceLines::Use::released) {
            read_line(released_, number * line_bytes, contents);
        } else {
            read_line(image_, local_of_number(number), contents);
        }
        address_memory(should, number, endpoint_, false, 0);
        std::memcpy(should.data(), contents.data(), line_bytes);
        is = should;
        read_line(dram_, number * line_bytes, contents);
        std::memcpy(is.data(), contents.data(), line_bytes);
        const std::string what = difference(should, is);
        if (!what.empty())
            out = fmt::format("{} at {:#x}, which the block has not written back", what, local_of_number(number));
    });
    return out;
}

}  // namespace weft
