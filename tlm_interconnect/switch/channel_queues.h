// The queues of an output port: one queue for each virtual channel of its link and each input.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

class ChannelQueues {
public:
    static constexpr std::uint8_t no_slot = 0xff;

    ChannelQueues() = default;
    ChannelQueues(const ChannelQueues&) = delete;
    ChannelQueues& operator=(const ChannelQueues&) = delete;

    struct Queue {
        ScheduledItem* head = nullptr;
        ScheduledItem* tail = nullptr;
    };
    // Channels are numbered by slot: those that exist, by vc. What a line needs of one is in a cache line of the host, and where
    // there is one input its queue too.
    struct alignas(64) Channel {
        std::uint8_t vc = 0;
        bool control = false;
        std::uint32_t queued = 0;
        std::uint32_t last_input = 0;  // that a line left
        Queue* inputs = nullptr;
        std::uint64_t* waiting = nullptr;  // bit per input with lines
        std::uint64_t few_waiting = 0;     // where they are up to 64
        Queue one_input;                   // where it is one
        ScheduledItem wake;                // for a credit of the channel
    };

    // Empty queues for the channels that `space` has; wakes get kinds from `first_kind` on.
    void lay_out(const BufferSpace& space, unsigned inputs, std::uint8_t first_kind);

    // The slot of a line that will use a channel of VC set `vc_set`; no_slot: the link has none.
    std::uint8_t slot_for(const LineHeader& line, LineClass cls, unsigned vc_set) const
    {
        return cls == LineClass::request ? request_slot_[vc_set][static_cast<unsigned>(line.op)]
                                         : slot_of_[vc_of(VcClass::response, vc_set)];
    }
    std::uint8_t slot_of(std::uint8_t vc) const { return slot_of_[vc]; }

    // The line joins the queue at its end, or right behind `before`, a line of it.
    void push(Line& line, unsigned slot, unsigned input, ScheduledItem* before)
    {
        Channel& channel = channels_[slot];
        Queue& queue = channel.inputs[input];
        if (queue.head == nullptr) {
            line.next = nullptr;
            queue.head = queue.tail = &line;
            channel.waiting[input >> 6] |= std::uint64_t{1} << (input & 63);
        } else if (before != nullptr) {
            line.next = before->next;
            before->next = &line;
            if (queue.tail == before) queue.tail = &line;
        } else {
            line.next = nullptr;
            queue.tail->next = &line;
            queue.tail = &line;
        }
        if (channel.queued++ == 0) occupied_ |= 1U << slot;
        peak_ = std::max(peak_, ++queued_);
    }
    Line& pop(unsigned slot, unsigned input)
    {
        Channel& channel = channels_[slot];
        Queue& queue = channel.inputs[input];
        Line& line = Line::of(*queue.head);
        queue.head = line.next;
        if (queue.head == nullptr) {
            channel.waiting[input >> 6] &= ~(std::uint64_t{1} << (input & 63));
        } else {
            __builtin_prefetch(queue.head, 1);  // a long queue has left the host's caches
        }
        if (--channel.queued == 0) occupied_ &= ~(1U << slot);
        --queued_;
        channel.last_input = input;
        return line;
    }

    // The next input in turn that has a line of the channel.
    unsigned next_input(unsigned slot) const;
    const ScheduledItem* head(unsigned slot, unsigned input) const { return channels_[slot].inputs[input].head; }

    std::vector<Channel>& channels() { return channels_; }
    const std::vector<Channel>& channels() const { return channels_; }
    Channel& operator[](unsigned slot) { return channels_[slot]; }
    const Channel& operator[](unsigned slot) const { return channels_[slot]; }
    std::uint32_t occupied() const { return occupied_; }  // bit per slot with lines
    std::uint32_t queued() const { return queued_; }
    std::uint32_t peak() const { return peak_; }
    void reset_peak() { peak_ = queued_; }
    unsigned inputs() const { return inputs_; }

private:
    unsigned inputs_ = 1;
    std::uint32_t queued_ = 0;
    std::uint32_t occupied_ = 0;
    std::uint32_t peak_ = 0;
    std::array<std::array<std::uint8_t, line_ops>, max_vc_sets> request_slot_{};
    std::array<std::uint8_t, max_vcs> slot_of_{};
    std::vector<Channel> channels_;
    std::vector<Queue> queues_;           // of channels with several inputs
    std::vector<std::uint64_t> waiting_;  // of channels with more than 64
};

}  // namespace weft
