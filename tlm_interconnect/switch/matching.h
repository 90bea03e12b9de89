// Matching of crossbar inputs to outputs, once per clock, and of queues to virtual channels.
//
// islip            every free output grants one of the inputs that ask for it, every input accepts one of its grants;
//                  both by a pointer that moves past the match, in the first iteration only. Further iterations match
//                  what is left. [McKeown 1999]
// input_first      every input picks one of the outputs it asks for, every output one of the inputs that picked it;
//                  pointers move with a match. One iteration.
// round_robin      as islip, but pointers move with every grant: outputs that grant in step stay in step.
// age              the oldest request first, at the outputs and at the inputs.
// weighted         as islip; while control and data both ask for an output, it grants them by weight.
//
// Up to 64 crossbar inputs and 64 outputs. Deterministic: ties go to the lower number after the pointer.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_interconnect/kernel/packed_arrays.h"
#include "tlm_interconnect/switch/switch_spec.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class CrossbarMatching {
public:
    CrossbarMatching(const SwitchSpec& spec, unsigned inputs, unsigned outputs);

    // Asks for `output` on behalf of `input`, once per match. `issued` counts for age, `control` for weights.
    void request(unsigned input, unsigned output, Time issued = 0, bool control = false)
    {
        const std::uint64_t from = std::uint64_t{1} << input;
        const std::uint64_t to = std::uint64_t{1} << output;
        conflict_ |= ((inputs_ & from) | (outputs_ & to)) != 0;
        asked_by_[output] |= from;
        asks_[input] |= to;
        outputs_ |= to;
        inputs_ |= from;
        if (keyed_) keep(input, output, issued, control);
    }
    bool keyed() const { return keyed_; }  // request() is to be told `issued` and `control`
    bool asks(unsigned input, unsigned output) const { return (asks_[input] >> output & 1U) != 0; }

    // A match that nobody disputes, without request() and match().
    void move_pointers(unsigned input, unsigned output)
    {
        grant_pointer_[output] = static_cast<std::uint8_t>(input + 1 == input_count_ ? 0 : input + 1);
        accept_pointer_[input] = static_cast<std::uint8_t>(output + 1 == output_count_ ? 0 : output + 1);
    }
    // Matches, and clears the requests. Afterwards matched_inputs() and output_of() hold the result.
    void match();
    std::uint64_t matched_inputs() const { return matched_; }
    unsigned output_of(unsigned input) const { return output_of_[input]; }

private:
    void keep(unsigned input, unsigned output, Time issued, bool control);
    void match_without_conflict();
    void match_outputs_first();
    void match_inputs_first();
    unsigned grant(unsigned output, std::uint64_t candidates);
    unsigned accept(unsigned input, std::uint64_t grants) const;
    static unsigned first_from(std::uint64_t bits, unsigned pointer)
    {
        const std::uint64_t later = bits & (~std::uint64_t{0} << pointer);
        return static_cast<unsigned>(__builtin_ctzll(later != 0 ? later : bits));
    }

    AllocatorKind kind_;
    unsigned iterations_;
    unsigned input_count_;
    unsigned output_count_;
    std::uint32_t control_weight_;
    std::uint32_t data_weight_;
    bool keyed_;
    bool conflict_ = false;      // some input or output in two requests
    std::uint64_t outputs_ = 0;  // that are asked for
    std::uint64_t inputs_ = 0;   // that ask
    std::uint64_t matched_ = 0;
    PackedArrays arrays_;
    std::uint64_t* asked_by_ = nullptr;  // by output
    std::uint64_t* asks_ = nullptr;      // by input
    std::uint8_t* output_of_ = nullptr;
    std::uint8_t* grant_pointer_ = nullptr;
    std::uint8_t* accept_pointer_ = nullptr;
    std::uint64_t* granted_ = nullptr;  // by input
    std::uint64_t* control_ = nullptr;  // by output: inputs that ask for control lines
    std::uint32_t* control_left_ = nullptr;
    std::uint32_t* data_left_ = nullptr;
    Time* issued_ = nullptr;  // by input and output
};

// Gives the channels of one output port to the queues that ask for one: separable, one iteration, by islip or
// input_first as above.
class ChannelMatching {
public:
    struct Request {
        std::uint32_t queue;
        std::uint16_t channels;  // acceptable, bit per channel
        std::int8_t given;       // result; -1: none
    };

    explicit ChannelMatching(const SwitchSpec& spec);
    ChannelMatching(const SwitchSpec& spec, unsigned ports, unsigned queues) : ChannelMatching(spec)
    {
        build(ports, queues);
    }
    // When they are known, before anything is matched; at most 65,536 queues.
    void build(unsigned ports, unsigned queues);

    // `requests` of one output port in ascending order of queue, whose channels it uses up; `free` are those of the port that nobody
    // holds.
    void match(unsigned port, std::vector<Request>& requests, std::uint16_t free);
    // The same for one request alone; returns the channel, -1: none is free.
    int match_one(unsigned port, std::uint32_t queue, std::uint16_t channels)
    {
        if (channels == 0) return -1;
        const unsigned channel = pick(port, queue, channels);
        move_pointers(port, queue, channel);
        return static_cast<int>(channel);
    }

private:
    unsigned pick(unsigned port, std::uint32_t queue, std::uint16_t channels) const
    {
        const std::uint32_t place = accept_pointer_[queue] - port * 16U;
        const std::uint32_t from = place < 16 ? place : 0;
        // Those behind the pointer, then all of them once more: no branch that the host could guess wrong.
        const std::uint32_t twice = (channels & (0xffffU << from)) | std::uint32_t{channels} << 16;
        return static_cast<unsigned>(__builtin_ctz(twice)) % 16;
    }
    void move_pointers(unsigned port, std::uint32_t queue, unsigned channel)
    {
        grant_pointer_[port * 16 + channel] = static_cast<std::uint16_t>(queue + 1 == queues_ ? 0 : queue + 1);
        accept_pointer_[queue] = static_cast<std::uint16_t>(port * 16 + channel + 1);
    }

    bool input_first_;
    unsigned queues_ = 0;
    std::uint16_t* accept_pointer_ = nullptr;  // by queue, port * 16 + channel
    std::uint16_t* grant_pointer_ = nullptr;   // by port and channel, a queue
    PackedArrays arrays_;
};

}  // namespace weft
