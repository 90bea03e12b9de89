#include "platform/parallel/conductor.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

constexpr Time never = ~Time{0};

template <class T>
T take_from(const Transport::Message& message, std::size_t& at)
{
    T out;
    std::memcpy(&out, message.data() + at, sizeof out);
    at += sizeof out;
    return out;
}

}  // namespace

Conductor::Conductor(std::vector<Part> parts, std::vector<CutLink*> links, Transport& transport, Time lookahead)
    : parts_(std::move(parts)), links_(std::move(links)), transport_(transport), lookahead_(lookahead)
{
    for (const Part& part : parts_) part.progress->make_part();
}

Time Conductor::last() const
{
    Time out = 0;
    for (const Part& part : parts_) out = std::max(out, part.event_queue->last());
    return out;
}

void Conductor::read(const Transport::Message& message, Time& least)
{
    for (std::size_t at = 0; at < message.size();) {
        const auto record = take_from<CutRecord>(message, at);
        least = std::min(least, record.due);
        ++records_;
        if (record.has_line) {
            const auto line = take_from<LineRecord>(message, at);
            links_[record.link]->deliver(record, &line, begin_);
        } else {
            links_[record.link]->deliver(record, nullptr, begin_);
        }
    }
}

// The earliest arrival of what came; `never` if nothing did. What it makes modules send, such as the credit of a response that passes through
// a port, is on its way from that arrival on.
Time Conductor::deliver()
{
    Time least = never;
    if (!transport_.exchange()) return least;
    for (std::size_t to = 0; to < parts_.size(); ++to)
        for (std::size_t from = 0; from < parts_.size(); ++from) read(transport_.inbox(part(to), part(from)), least);
    return least;
}

bool Conductor::stuck()
{
    bool spins = false;
    bool in_vain = true;
    std::uint64_t epochs = 0;
    for (const Part& part : parts_) {
        if (part.progress->anything_busy()) return asked_ = false;
        spins = spins || part.progress->anybody_spins();
        in_vain = in_vain && part.progress->all_in_vain();
        epochs += part.progress->epoch();
    }
    if (!spins) return false;
    if (asked_ && epochs == epochs_) return in_vain;
    for (const Part& part : parts_) part.progress->ask_again(begin_);
    epochs_ = epochs + parts_.size();
    asked_ = true;
    return false;
}

Conductor::End Conductor::run(Time until, const std::function<bool(Time)>& watch)
{
    End end = End::idle;
    for (;;) {
        Time least = deliver();
        for (const Part& part : parts_) least = std::min(least, part.event_queue->next_time());
        if (least == never) break;
        if (least > until) {
            end = End::until;
            break;
        }
        ++windows_;
        const Time window = least > never - lookahead_ ? never : least + lookahead_;
        begin_ = until < never ? std::min(window, until + 1) : window;
        bool stopped = false;
        for (std::size_t turn = 0; turn < parts_.size(); ++turn) {
            EventQueue& event_queue = *parts_[part(turn)].event_queue;
            event_queue.run_window(begin_);
            stopped = stopped || event_queue.stopped();
        }
        if (stopped || (watch && !watch(begin_ - 1))) {
            end = End::stopped;
            break;
        }
        if (stuck()) {
            end = End::stuck;
            break;
        }
    }
    while (deliver() != never) {
    }
    return end;
}

}  // namespace weft
