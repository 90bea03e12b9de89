// Reference model of weft_llc_slice.sv: the same pins in every clock.
//
// In clocks: a request that is taken in clock c is looked at in clock c + tag_clocks or later, one a clock and in
// order. The look in clock d does all at once:
//   hit, or a whole line written: answered in d + data_clocks
//   miss: takes the lowest free entry and the place that was used longest ago, and asks memory from d + 1 on
//   line on its way: joins the list of that entry
// What loses its place while dirty is on its way to memory from d + 2 on. A line that memory sends in clock f is a
// look at the first request of its entry; the others of the list follow, one a clock. Lists go before lines from
// memory, those before the walk of a flush, one place a clock, and that before requests; but after a line from memory
// and its list a request that is there has its turn. A look waits, and what is behind it, for
//   an answer: one of `responses` places until it is taken
//   a miss: a free entry; and no line of that number on its way to memory
//   a list: room for one more
//   a place: one of the row that waits for no line, and one of `write_backs` if it is dirty
//   reading a place: modify_clocks more after the look that wrote it
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/cache/llc_pins.h"
#include "rtl/cache/llc_ring.h"
#include "rtl/cache/llc_rows.h"
#include "rtl/common/clocked_block.h"

namespace weft {

class ReferenceSlice final : public ClockedBlock<LlcIn, LlcOut> {
public:
    // Throws InputError for parameters out of their range.
    explicit ReferenceSlice(const LlcParameters& parameters);

    void reset() override;
    void cycle(const LlcIn& in, LlcOut& out) override;
    bool idle() const override { return idle_; }

private:
    struct Dated {
        LineBits line;
        std::uint64_t due = 0;  // clock from which it is there
    };
    struct Entry {  // a fill on its way
        std::uint32_t place = 0;
        std::uint32_t count = 0;  // requests that wait for it
    };
    struct Counters {
        bool hit = false;
        bool miss = false;
        bool merged = false;
        bool write_back = false;
    };

    void show(const LlcIn& in, LlcOut& out) const;
    void look(const LineBits& request);
    bool look_at_present(const LineBits& request, std::uint32_t place);
    bool look_at_absent(const LineBits& request);
    void land(const LineBits& line);
    void follow();
    void walk();
    bool readable(std::uint32_t place) const { return clock_ >= readable_from_[place]; }
    bool takes_out(std::uint32_t place);
    void put_out(std::uint32_t place);
    void answer(const LineBits& request, std::uint32_t place, bool landed);
    void finish(std::uint32_t entry);
    bool returning(std::uint64_t number) const;
    std::uint32_t lowest_free() const;
    LineBits* list(std::uint32_t entry) { return waiting_.data() + std::size_t{entry} * (parameters_.merges + 1); }
    std::uint8_t* data(std::uint32_t place) { return data_.data() + std::size_t{place} * 64; }

    LlcParameters parameters_;
    std::uint16_t endpoint_ = 0;
    std::uint64_t clock_ = 0;
    LlcRows rows_;
    std::vector<std::uint8_t> data_;
    std::vector<std::uint64_t> readable_from_;  // clock, by place
    LlcRing<Dated> queue_;
    LlcRing<Dated> responses_;  // from the look on
    LlcRing<Dated> write_backs_;
    LlcRing<std::uint32_t> reads_;  // entries that have not asked yet
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> free_;  // bit for each entry
    std::uint32_t busy_ = 0;           // entries
    std::vector<LineBits> waiting_;    // lists of all entries
    bool following_ = false;           // a list
    std::uint32_t followed_ = 0;       // its entry
    std::uint32_t position_ = 0;       // and whose turn it is
    bool turn_of_request_ = false;     // no line from memory before it
    bool room_ = false;                // for one more answer, at the start of the clock
    bool write_room_ = false;          // the same for lines to memory
    bool walked_ = false;
    std::uint32_t walk_at_ = 0;  // place
    bool flushed_ = false;
    Counters counters_;               // of the last clock
    std::uint64_t moving_until_ = 0;  // last clock in which data move
    bool idle_ = true;
};

}  // namespace weft
