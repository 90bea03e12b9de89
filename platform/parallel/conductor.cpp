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

Conductor::Conductor(std::vector<Part> parts, std::vector<CutLink*> links, Transport& transport, Time lookahead,
    std::size_t threads)
    : parts_(std::move(parts)), links_(std::move(links)), transport_(transport), lookahead_(lookahead),
      pool_(parts_.size(), threads), notes_(parts_.size())
{
    for (const Part& part : parts_) part.progress->make_part();
}

Time Conductor::last() const
{
    Time out = 0;
    for (const Part& part : parts_) out = std::max(out, part.event_queue->last());
    return out;
}

std::uint64_t Conductor::records() const
{
    std::uint64_t out = 0;
    for (const Note& note : notes_) out += note.records;
    return out;
}

// Hands over what has come for a part, and notes the earliest time at which something is due or arrives there. What a record makes modules send,
// such as the credit of a response that passes through a port, is on its way from its arrival on.
void Conductor::deliver(std::size_t part)
{
    const auto to = static_cast<std::uint32_t>(part);
    Note& note = notes_[part];
    note.least = never;
    for (std::size_t turn = 0; turn < parts_.size(); ++turn) {
        const auto from = static_cast<std::uint32_t>(backwards_ ? parts_.size() - 1 - turn : turn);
        const Transport::Message& message = transport_.inbox(to, from);
        for (std::size_t at = 0; at < message.size();) {
            const auto record = take_from<CutRecord>(message, at);
            note.least = std::min(note.least, record.due);
            ++note.records;
            if (record.has_line) {
                const auto line = take_from<LineRecord>(message, at);
                LatencyBreakdown breakdown;
                const bool traced = (line.flags & LineHeader::traced_flag) != 0;
                if (traced) breakdown = take_from<LatencyBreakdown>(message, at);
                links_[record.link]->deliver(record, &line, traced ? &breakdown : nullptr, begin_);
            } else {
                links_[record.link]->deliver(record, nullptr, nullptr, begin_);
            }
        }
    }
    note.least = std::min(note.least, parts_[part].event_queue->next_time());
}

// Threads do not gain where a window is an instant.
void Conductor::each(const std::function<void(std::size_t part)>& work)
{
    if (lookahead_ > 1) return pool_.each(work, backwards_);
    for (std::size_t turn = 0; turn < parts_.size(); ++turn) work(backwards_ ? parts_.size() - 1 - turn : turn);
}

// False: nothing was on its way.
bool Conductor::exchange()
{
    const bool any = transport_.exchange();
    each([this](std::size_t part) { deliver(part); });
    return any;
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

void Conductor::use_turns(Turns::Rules rules)
{
    turns_ = std::make_unique<Turns>(parts_, std::move(rules));
    lookahead_ = std::min(lookahead_, turns_->longest());
}

// What is due before begin_, in all parts.
void Conductor::run_window(Time least)
{
    if (turns_ != nullptr && turns_->steps(least)) {
        begin_ = least + 1;
        turns_->run_instant(least);
        return;
    }
    if (turns_ != nullptr) begin_ = std::min(begin_, turns_->limit(least));
    each([this](std::size_t part) { parts_[part].event_queue->run_window(begin_); });
    if (turns_ != nullptr) turns_->take(begin_);
}

Conductor::End Conductor::run(Time until, const std::function<bool(Time)>& between)
{
    End end = End::idle;
    for (;;) {
        exchange();
        Time least = never;
        for (const Note& note : notes_) least = std::min(least, note.least);
        if (least == never) break;
        if (least > until) {
            end = End::until;
            break;
        }
        ++windows_;
        const Time window = least > never - lookahead_ ? never : least + lookahead_;
        begin_ = until < never ? std::min(window, until + 1) : window;
        run_window(least);
        const bool stopped =
            std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.event_queue->stopped(); });
        if (stopped || (between && !between(begin_ - 1))) {
            end = End::stopped;
            break;
        }
        if (turns_ == nullptr && stuck()) {
            end = End::stuck;
            break;
        }
    }
    while (exchange()) {
    }
    const Time ended = last();
    for (const Part& part : parts_) part.event_queue->end_part(ended);
    return end;
}

}  // namespace weft
