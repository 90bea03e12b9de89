#include "rtl/verilated/verilated_block.h"

#include <algorithm>
#include <dlfcn.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

template <class Function>
Function* entry(void* library, const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

VerilatedBlock::VerilatedBlock(const std::string& library, const std::string& name, std::uint64_t seed,
    const std::vector<std::string>& high)
{
    const std::string wanted = "a block that Weft has verilated";
    // Never unloaded: blocks of one kind share it.
    library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
        const char* const text = ::dlerror();
        throw InputError(library, 0, std::string("cannot be loaded: ") + (text == nullptr ? "" : text), wanted);
    }
    auto* const make = entry<void*(const char*, unsigned long long)>(library_, "weft_block_new");
    auto* const describe_pin = entry<const char*(void*, unsigned, unsigned*, int*, void**)>(library_, "weft_block_pin");
    eval_ = entry<void(void*)>(library_, "weft_block_eval");
    failure_ = entry<const char*(void*)>(library_, "weft_block_failure");
    set_time_ = entry<void(void*, unsigned long long)>(library_, "weft_block_set_time");
    if (make == nullptr || describe_pin == nullptr || eval_ == nullptr || failure_ == nullptr || set_time_ == nullptr)
        throw InputError(library, 0, "is not a verilated block", wanted);
    block_ = make(name.c_str(), seed);
    unsigned width = 0;
    int input = 0;
    void* data = nullptr;
    for (unsigned number = 0; const char* const pin_name = describe_pin(block_, number, &width, &input, &data);
         ++number)
        pins_[pin_name] = {Pin(data, width), input != 0};
    // From here on inputs are what their driver says, and the first rise of a clock is one.
    for (auto& known : pins_)
        if (known.second.second) known.second.first.clear();
    for (const std::string& pin_name : high) pin(pin_name).set(0, 1, 1);
    eval();
}

VerilatedBlock::~VerilatedBlock()
{
    if (block_ != nullptr) close_trace();
    if (block_ != nullptr) entry<void(void*)>(library_, "weft_block_delete")(block_);
}

std::vector<PinInfo> VerilatedBlock::pins() const
{
    std::vector<PinInfo> out;
    for (const auto& [name, pin] : pins_) out.push_back({name, pin.first.width(), pin.second});
    return out;
}

Pin VerilatedBlock::pin(const std::string& name) const
{
    const auto found = pins_.find(name);
    if (found != pins_.end()) return found->second.first;
    std::string names;
    for (const auto& known : pins_) names += (names.empty() ? "" : ", ") + known.first;
    throw InputError("", 0, "the block has no pin '" + name + "'", "one of " + names);
}

std::string VerilatedBlock::failure() const { return failure_(block_); }

void VerilatedBlock::open_trace(const std::string& file, std::uint64_t half_period)
{
    auto* const trace = entry<void(void*, const char*)>(library_, "weft_block_trace");
    if (trace == nullptr)
        throw InputError(file, 0, "the block was verilated without waveforms", "a block that was built with waveforms");
    trace(block_, file.c_str());
    half_period_ = half_period;
    tracing_ = true;
}

void VerilatedBlock::close_trace()
{
    if (!tracing_) return;
    entry<void(void*, const char*)>(library_, "weft_block_trace")(block_, nullptr);
    tracing_ = false;
}

void VerilatedBlock::follow_wave(std::uint64_t ps)
{
    if (!tracing_ && ps >= wave_.from && ps <= wave_.to) open_trace(wave_.file, wave_.half_period);
    if (tracing_ && ps > wave_.to) {
        close_trace();
        wave_.file.clear();
    }
}

void VerilatedBlock::note(unsigned signal, const std::string& text)
{
    const auto found = pins_.find("note_" + std::to_string(signal));
    if (found == pins_.end()) return;
    Pin& pin = found->second.first;
    pin.clear();
    // The first character is the highest byte: viewers show ASCII so.
    const std::size_t bytes = pin.width() / 8;
    for (std::size_t i = 0; i < text.size() && i < bytes; ++i)
        pin.set(static_cast<unsigned>(8 * (bytes - 1 - i)), 8, static_cast<unsigned char>(text[i]));
}

// Behind the fall of the clock: half a period before it rises, or 1 ps behind the last dump. Without it outputs that depend on inputs in the
// same clock would never be shown with these inputs.
void VerilatedBlock::dump_settled()
{
    const std::uint64_t low = time_ > half_period_ ? time_ - half_period_ : 0;
    const std::uint64_t at = std::max({low, dumped_, wave_.from});
    if (at >= time_) return;
    dumped_ = at + 1;
    entry<void(void*, unsigned long long)>(library_, "weft_block_dump")(block_, at);
}

void VerilatedBlock::dump(std::uint64_t after)
{
    // A waveform has each time once: what changes twice in a picosecond shows with the next dump.
    if (time_ + after < dumped_) return;
    dumped_ = time_ + after + 1;
    entry<void(void*, unsigned long long)>(library_, "weft_block_dump")(block_, time_ + after);
}

}  // namespace weft
