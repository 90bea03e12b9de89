#include "tlm_interconnect/switch/channel_queues.h"

namespace weft {

namespace {

std::size_t words_for(unsigned inputs) { return (inputs + 63) / 64; }

}  // namespace

void ChannelQueues::lay_out(const BufferSpace& space, unsigned inputs, std::uint8_t first_kind)
{
    inputs_ = inputs;
    channels_.clear();
    slot_of_.fill(no_slot);
    for (unsigned vc = 0; vc < max_vcs; ++vc) {
        if (space.lines[vc] == 0) continue;
        slot_of_[vc] = static_cast<std::uint8_t>(channels_.size());
        Channel channel;
        channel.vc = static_cast<std::uint8_t>(vc);
        const VcClass cls = class_of(channel.vc);
        channel.control = cls == VcClass::request || cls == VcClass::atomic;
        channel.last_input = inputs - 1;
        channel.wake.kind = static_cast<std::uint8_t>(first_kind + channels_.size());
        channels_.push_back(channel);
    }
    const std::size_t words = words_for(inputs);
    queues_.assign(inputs > 1 ? channels_.size() * inputs : 0, Queue());
    waiting_.assign(words > 1 ? channels_.size() * words : 0, 0);
    for (std::size_t slot = 0; slot < channels_.size(); ++slot) {
        Channel& channel = channels_[slot];
        channel.inputs = inputs > 1 ? &queues_[slot * inputs] : &channel.one_input;
        channel.waiting = words > 1 ? &waiting_[slot * words] : &channel.few_waiting;
    }
    for (unsigned vc_set = 0; vc_set < max_vc_sets; ++vc_set)
        for (unsigned op = 0; op < line_ops; ++op)
            request_slot_[vc_set][op] =
                slot_of_[vc_of(space.split ? vc_class(static_cast<LineOp>(op)) : VcClass::request, vc_set)];
}

unsigned ChannelQueues::next_input(unsigned slot) const
{
    if (inputs_ == 1) return 0;
    const Channel& channel = channels_[slot];
    const unsigned start = channel.last_input + 1 == inputs_ ? 0 : channel.last_input + 1;
    const std::size_t words = words_for(inputs_);
    std::size_t word = start >> 6;
    std::uint64_t bits = channel.waiting[word] & (~std::uint64_t{0} << (start & 63));
    for (std::size_t step = 0; step <= words; ++step) {
        if (bits != 0) return static_cast<unsigned>((word << 6) + static_cast<unsigned>(__builtin_ctzll(bits)));
        if (++word == words) word = 0;
        bits = channel.waiting[word];
    }
    return 0;
}

}  // namespace weft
