#include "rtl/dut/channels/line_sink.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

// Puts beats together. Beats of lines of different channels may alternate, over AXI-Stream also those with different tid.
class SinkOneByOne : public LineSink {
public:
    SinkOneByOne(const MapStream& stream, const StreamPins& pins, unsigned channels)
        : pins_(pins), empty_(stream.layout, pins.data.width), channels_(channels),
          by_id_(pins.id && stream.protocol == StreamProtocol::axi_stream)
    {
    }

    std::string unsettled() const override
    {
        for (const auto& [key, partial] : partial_)
            if (partial.beat != 0)
                return fmt::format("{} of the {} beats of a transaction came out{}", partial.beat, beats(),
                    pins_.vc ? fmt::format(" in channel {}", key.first) : "");
        return "";
    }

protected:
    StreamPins& pins() { return pins_; }
    unsigned beats() const { return empty_.count(); }

    // The beat on the pins; whether `line` is whole with it.
    bool take(LineOnPins& line)
    {
        const std::uint64_t channel = pins_.vc ? pins_.vc.get() : 0;
        if (channel >= channels_) {
            fail(fmt::format("channel {} of {}", channel, channels_));
            return false;
        }
        Partial& partial = partial_.try_emplace({channel, by_id_ ? pins_.id.get() : 0}, Partial{empty_}).first->second;
        Beats& beats = partial.beats;
        unsigned& beat = partial.beat;
        beats.take(beat, pins_.data);
        const bool end = beat + 1 == beats.count();
        if (pins_.last && (pins_.last.get() != 0) != end)
            fail(fmt::format("beat {} of {} with last = {}", beat + 1, beats.count(), pins_.last.get()));
        if (pins_.keep && !beats.keep_fits(beat, pins_.keep))
            fail(fmt::format("the bytes of beat {} of {} differ from those that went in", beat + 1, beats.count()));
        beat = end ? 0 : beat + 1;
        if (!end) return false;
        beats.read(line.bits);
        Pin bits(line.bits.bytes, beat_bits);
        for (auto& [field, signal] : pins_.fields) bits.set(offset_of(field), width_of(field), signal.get());
        if (pins_.dest) line.dest = static_cast<unsigned>(pins_.dest.get());
        if (pins_.vc) line.channel = static_cast<unsigned>(pins_.vc.get());
        if (pins_.id) line.id = static_cast<unsigned>(pins_.id.get());
        return true;
    }

private:
    struct Partial {
        Beats beats;
        unsigned beat = 0;  // the next one
    };
    StreamPins pins_;
    Beats empty_;
    unsigned channels_;
    bool by_id_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Partial>
        partial_;  // by channel and tid, as far as the stream has them
};

class StreamSink : public SinkOneByOne {
public:
    // `holds`: a beat that was offered stays until it is taken.
    StreamSink(const MapStream& stream, const StreamPins& pins, unsigned channels, bool holds)
        : SinkOneByOne(stream, pins, channels), all_((1U << channels) - 1), holds_(holds),
          offered_((pins.data.width + 63) / 64)
    {
        if (pins.ready.width != 1 && pins.ready.width != channels)
            throw InputError("", 0,
                fmt::format("{} bits of ready for a fabric with {} channels", pins.ready.width, channels),
                "1, or 1 for each channel");
        if (pins.ready.width != 1 && !pins.vc)
            throw InputError("", 0, "ready for each channel and no channel", "a signal 'vc'");
    }

    void drive(unsigned room) override
    {
        const unsigned ready = pins().ready.width == 1 ? (room == all_ ? 1U : 0U) : room;
        if (ready == ready_) return;
        ready_ = ready;
        pins().ready.set(ready);
    }
    Sample sample(LineOnPins& line) override
    {
        const bool valid = pins().valid.get() != 0;
        if (holds_) hold(valid);
        if (!valid) return {};
        const bool taken = pins().ready.width == 1 ? ready_ != 0 : (ready_ >> pins().vc.get() & 1U) != 0;
        waits_ = !taken;
        if (!taken) return {};
        return {true, take(line)};
    }

private:
    void hold(bool valid)
    {
        if (waits_ && !valid) fail("valid falls before ready");
        const Signal& data = pins().data;
        for (unsigned i = 0; valid && i < data.width; i += 64) {
            const unsigned count = std::min(64U, data.width - i);
            std::uint64_t word = 0;
            for (unsigned k = 0; k < count; k += 32)
                word |= data.pin.get(data.at + i + k, std::min(32U, count - k)) << k;
            if (waits_ && word != offered_[i / 64]) fail("data change before ready");
            offered_[i / 64] = word;
        }
    }

    unsigned all_;
    bool holds_;
    unsigned ready_ = 0;
    bool waits_ = false;
    std::vector<std::uint64_t> offered_;
};

class CreditSink : public SinkOneByOne {
public:
    CreditSink(const MapStream& stream, const StreamPins& pins, unsigned channels)
        : SinkOneByOne(stream, pins, channels), most_(stream.credits), held_(pins.ready.width), owed_(pins.ready.width)
    {
        if (pins.ready.width != 1 && pins.ready.width != channels)
            throw InputError("", 0,
                fmt::format("{} bits of credit for a fabric with {} channels", pins.ready.width, channels),
                "1, or 1 for each channel");
        if (pins.ready.width != 1 && !pins.vc)
            throw InputError("", 0, "credits for each channel and no channel", "a signal 'vc'");
        if (most_ < beats())
            throw InputError("", 0, fmt::format("{} credits, but a transaction has {} beats", most_, beats()),
                "at least as many credits as beats");
    }

    void drive(unsigned /*room*/) override
    {
        std::uint64_t pulses = 0;
        for (std::size_t i = 0; i < owed_.size(); ++i) {
            if (owed_[i] == 0) continue;
            --owed_[i];
            --held_[i];
            pulses |= std::uint64_t{1} << i;
        }
        if (pulses != pulses_) pins().ready.set(pulses);
        pulses_ = pulses;
    }
    Sample sample(LineOnPins& line) override
    {
        const bool pulsed = pulses_ != 0;
        if (pins().valid.get() == 0) return {pulsed, false};
        const std::size_t place = held_.size() == 1 ? 0 : static_cast<std::size_t>(pins().vc.get());
        if (place >= held_.size()) {
            fail(fmt::format("channel {} of {}", place, held_.size()));
            return {true, false};
        }
        if (held_[place] >= most_) fail(fmt::format("a beat without a credit; {} credits are in use", most_));
        ++held_[place];
        return {true, take(line)};
    }
    void freed(unsigned channel) override { owed_[owed_.size() == 1 ? 0 : channel] += beats(); }
    bool owes() const override
    {
        return pulses_ != 0 || std::any_of(owed_.begin(), owed_.end(), [](unsigned owed) { return owed > 0; });
    }

private:
    unsigned most_;
    std::vector<unsigned> held_;  // beats that have come and whose credit is not back
    std::vector<unsigned> owed_;
    std::uint64_t pulses_ = 0;
};

}  // namespace

std::unique_ptr<LineSink> make_sink(const MapStream& stream, const StreamPins& pins, unsigned channels)
{
    if (stream.protocol == StreamProtocol::credit) return std::make_unique<CreditSink>(stream, pins, channels);
    return std::make_unique<StreamSink>(stream, pins, channels, stream.protocol == StreamProtocol::axi_stream);
}

}  // namespace weft
