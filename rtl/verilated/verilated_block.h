// One instance of a Verilated block.
//
// No pins of SystemC, no header of Verilator: the block lies in a shared library of its own (block_library.h), its pins
// are found by name. Registers that no reset sets begin with bits from `seed`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rtl/common/wave_window.h"
#include "rtl/verilated/pin.h"

namespace weft {

struct PinInfo {
    std::string name;
    unsigned width = 1;
    bool input = false;
};

class VerilatedBlock {
public:
    // `library` as block_library() says; `name` is the instance's, for what the block reports; inputs in `high` begin as 1,
    // the others as 0. Throws InputError.
    VerilatedBlock(const std::string& library, const std::string& name, std::uint64_t seed = 1,
        const std::vector<std::string>& high = {});
    ~VerilatedBlock();
    VerilatedBlock(const VerilatedBlock&) = delete;
    VerilatedBlock& operator=(const VerilatedBlock&) = delete;

    std::vector<PinInfo> pins() const;
    bool has(const std::string& pin) const { return pins_.count(pin) != 0; }
    // Throws InputError when there is none of that name.
    Pin pin(const std::string& name) const;

    // Outputs settle.
    void eval()
    {
        eval_(block_);
        falling_ = false;
    }
    // The clock rises, and falls. With a trace open, both edges are in it, and before them what the block's inputs and
    // settled outputs are when the clock rises.
    void edge(Pin& clock)
    {
        if (falling_) eval();
        if (tracing_) dump_settled();
        clock.set(0, 1, 1);
        eval_(block_);
        if (tracing_) dump(0);
        clock.set(0, 1, 0);
        eval_(block_);
        if (tracing_) dump(half_period_);
    }
    // Blocks of users, whose clocks stand high between their edges: inputs are set while they do, then step() at a time
    // behind that edge lets the block see them; pins of clocks are set by the caller, with a step() for each change.
    void step(std::uint64_t ps)
    {
        set_time(ps);
        eval();
        if (tracing_) dump(0);
    }
    // The same for blocks in which nothing happens when a clock falls, at two thirds of the price: it falls with the inputs
    // of the next clock, in one eval(). Not for blocks with `negedge`: these would see the inputs of the next clock.
    void rise(Pin& clock)
    {
        if (tracing_ || falling_) return edge(clock);
        clock.set(0, 1, 1);
        eval_(block_);
        clock.set(0, 1, 0);
        falling_ = true;
    }

    bool failed() const { return *failure_(block_) != '\0'; }
    // What an assertion, $error, $fatal or $stop of the block said first; empty: nothing.
    std::string failure() const;

    // Waveforms from now on, if the library was built for them (throws InputError otherwise). A clock falls
    // `half_period` ps after it has risen.
    void open_trace(const std::string& file, std::uint64_t half_period);
    // Time of the next rising edge, ps; only waveforms and $time look at it.
    void set_time(std::uint64_t ps)
    {
        time_ = ps;
        set_time_(block_, ps);
    }
    void close_trace();

    // Waveforms in a window: from the first at() inside it to the first behind it. Throws InputError as open_trace().
    void set_wave(const WaveWindow& window) { wave_ = window; }
    void at(std::uint64_t ps)
    {
        set_time(ps);
        if (!wave_.file.empty()) follow_wave(ps);
    }
    bool waving() const { return tracing_; }
    // ASCII on the pin note_`signal`, where the library was built with notes.
    void note(unsigned signal, const std::string& text);

private:
    void follow_wave(std::uint64_t ps);
    void dump(std::uint64_t after);
    void dump_settled();
    std::uint64_t dumped_ = 0;  // time of the last dump, and one more

    void* library_ = nullptr;
    void* block_ = nullptr;
    void (*eval_)(void*) = nullptr;
    const char* (*failure_)(void*) = nullptr;
    void (*set_time_)(void*, unsigned long long) = nullptr;
    std::map<std::string, std::pair<Pin, bool>> pins_;
    bool falling_ = false;  // the clock is low on its pin, and the block has not seen it
    bool tracing_ = false;
    std::uint64_t time_ = 0;
    std::uint64_t half_period_ = 0;
    WaveWindow wave_;
};

}  // namespace weft
