#include "rtl/dut/channels/line_source.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

void put(Signal& signal, const char* what, std::uint64_t value)
{
    if (!signal) return;
    if (signal.width < 64 && value >> signal.width != 0)
        throw InputError("", 0, fmt::format("{} {} in {} bits", what, value, signal.width),
            "a map with enough bits for it");
    signal.set(value);
}

// The beats of a line, one after the other; what stays the same in all of them.
class OneByOne : public LineSource {
public:
    OneByOne(const MapStream& stream, const StreamPins& pins)
        : pins_(pins), layout_(stream.layout), beats_(stream.layout, pins.data.width)
    {
    }

    void begin(const LineOnPins& line) override
    {
        for (unsigned i = 0; i < line_fields; ++i) {
            const auto field = static_cast<LineField>(i);
            const std::string what = layout_.has(field) ? misfit(line.bits, field, layout_.place(field).width) : "";
            if (!what.empty()) throw InputError("", 0, what, "a map with enough bits for it");
        }
        beats_.fill(line.bits);
        const Pin bits(const_cast<std::uint8_t*>(line.bits.bytes), beat_bits);
        for (auto& [field, signal] : pins_.fields)
            put(signal, name_of(field), bits.get(offset_of(field), width_of(field)));
        put(pins_.dest, "output", line.dest);
        put(pins_.vc, "channel", line.channel);
        put(pins_.id, "input", line.id);
        beat_ = 0;
        busy_ = true;
        fresh_ = true;
    }
    bool busy() const override { return busy_; }
    unsigned beats(const LineBits& /*header*/) const override { return beats_.count(); }
    unsigned beat_bytes() const override { return (pins_.data.width + 7) / 8; }

protected:
    void show(bool valid)
    {
        if (valid && fresh_) {
            beats_.put(beat_, pins_.data);
            if (pins_.keep) beats_.put_keep(beat_, pins_.keep);
            if (pins_.last) pins_.last.set(beat_ + 1 == beats_.count() ? 1 : 0);
            fresh_ = false;
        }
        if (valid != shown_) pins_.valid.set(valid ? 1 : 0);
        shown_ = valid;
    }
    bool shown() const { return shown_; }
    // The beat on the pins goes in with this clock; whether it was the last.
    bool next()
    {
        fresh_ = true;
        busy_ = ++beat_ < beats_.count();
        return !busy_;
    }
    const StreamPins& pins() const { return pins_; }

private:
    StreamPins pins_;
    LineLayout layout_;
    Beats beats_;
    unsigned beat_ = 0;
    bool busy_ = false;
    bool fresh_ = false;
    bool shown_ = false;
};

class StreamSource : public OneByOne {
public:
    using OneByOne::OneByOne;
    bool takes(unsigned /*channel*/) const override { return !busy(); }
    void drive() override { show(busy()); }
    Sample sample() override
    {
        if (!shown() || pins().ready.get() == 0) return {};
        return {true, next()};
    }
};

class CreditSource : public OneByOne {
public:
    CreditSource(const MapStream& stream, const StreamPins& pins, unsigned channels)
        : OneByOne(stream, pins), most_(stream.credits), credits_(pins.ready.width, stream.credits)
    {
        if (pins.ready.width != 1 && pins.ready.width != channels)
            throw InputError("", 0,
                fmt::format("{} bits of credit for a fabric with {} channels", pins.ready.width, channels),
                "1, or 1 for each channel");
    }
    bool takes(unsigned channel) const override { return !busy() && credits_[place(channel)] > 0; }
    void begin(const LineOnPins& line) override
    {
        OneByOne::begin(line);
        channel_ = line.channel;
    }
    void drive() override { show(busy() && credits_[place(channel_)] > 0); }
    Sample sample() override
    {
        Sample out;
        if (shown()) {
            --credits_[place(channel_)];
            out = {true, next()};
        }
        // What comes back now counts from the next clock on.
        std::uint64_t pulses = pins().ready.get();
        for (std::size_t i = 0; pulses != 0; ++i, pulses >>= 1U) {
            if ((pulses & 1U) == 0) continue;
            out.moved = true;
            if (++credits_[i] > most_) fail(fmt::format("a credit more than the {} that the map gives", most_));
        }
        return out;
    }

    bool settled() const override
    {
        return std::all_of(credits_.begin(), credits_.end(), [this](unsigned credits) { return credits == most_; });
    }
    std::string unsettled(const std::vector<std::string>& names) const override
    {
        std::string out;
        for (std::size_t i = 0; i < credits_.size(); ++i)
            if (credits_[i] < most_)
                out += fmt::format(
                    "{}{} of {} credits{} did not come back: the block took the beats, and holds or lost the credits",
                    out.empty() ? "" : "; ", most_ - credits_[i], most_,
                    credits_.size() == 1 ? "" : " of channel " + names[i]);
        return out;
    }

private:
    std::size_t place(unsigned channel) const { return credits_.size() == 1 ? 0 : channel; }

    unsigned most_;
    std::vector<unsigned> credits_;
    unsigned channel_ = 0;
};

}  // namespace

std::unique_ptr<LineSource> make_source(const MapStream& stream, const StreamPins& pins, unsigned channels)
{
    if (stream.protocol == StreamProtocol::credit) return std::make_unique<CreditSource>(stream, pins, channels);
    return std::make_unique<StreamSource>(stream, pins);
}

}  // namespace weft
