// The pool from which transactions come and to which they return.
//
// Lines have room for 64 bytes of data, or for those of a wide transaction where the run has them (hold_wide()), or for none
// (hold_no_data()): a third less memory, and a run that simulates no contents has a quarter of a million of them in flight.
//
// A line taken from the pool belongs to whoever took it until it is given back. TLM reference counts
// matter only once a line has been shared with a foreign model (shared_mark): then the last
// release() returns it.
#pragma once

#include <memory>
#include <vector>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

class LinePool : public tlm::tlm_mm_interface {
public:
    LinePool() = default;
    ~LinePool() override;
    LinePool(const LinePool&) = delete;
    LinePool& operator=(const LinePool&) = delete;

    // From now on, before the first line: room for `bytes` of data, a multiple of 64.
    void hold_wide(std::uint32_t bytes) { stride_ = sizeof(Line) + bytes; }
    // The same: room for none. A switch that combines data calls hold_data() before the first line is taken, and gets it back.
    void hold_no_data() { stride_ = sizeof(Line); }
    void hold_data()
    {
        if (!roomy() && blocks_.empty()) stride_ = sizeof(Line) + line_bytes;
    }
    bool roomy() const { return stride_ > sizeof(Line); }

    Line& take()
    {
        if (free_ == nullptr) grow();
        LineHeader* header = free_;
        free_ = static_cast<LineHeader*>(header->next);
        __builtin_prefetch(free_, 1);  // the next one reads where the one behind it is
        ++live_;
        return static_cast<Line&>(*header);
    }

    // Loads what the next take() hands out into the host's cache, for a caller who writes it whole.
    void prefetch() const
    {
        if (free_ == nullptr) return;
        __builtin_prefetch(free_, 1);
        __builtin_prefetch(free_ + 1, 1);
    }

    void give(Line& line)
    {
        if (line.marked(LineHeader::shared_mark)) {
            line.payload().release();
            return;
        }
        push(line);
    }

    // Marks the line as held by a foreign model too: from now on acquire() and release() count.
    static void share(Line& line)
    {
        if (line.marked(LineHeader::shared_mark)) return;
        line.mark(LineHeader::shared_mark);
        line.payload().acquire();
    }

    std::uint64_t live() const { return live_; }          // taken and not given back
    std::uint64_t capacity() const { return capacity_; }  // ever allocated

private:
    static constexpr std::size_t block_lines = 256;

    void grow();
    void push(Line& line)
    {
        line.next = free_;
        free_ = &line;
        --live_;
    }
    void free(tlm::tlm_generic_payload* payload) override;

    LineHeader* free_ = nullptr;
    std::uint64_t live_ = 0;
    std::uint64_t capacity_ = 0;
    std::size_t stride_ = sizeof(Line) + line_bytes;
    std::vector<std::uint8_t*> blocks_;
};

}  // namespace weft
