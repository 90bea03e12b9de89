#include "platform/parallel/conductor.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tlm_interconnect/kernel/module_errors.h"

namespace weft {

namespace {

constexpr Time never = ~Time{0};

// Adds the wall time of its life.
class Stopwatch {
public:
    explicit Stopwatch(double& seconds) : seconds_(seconds) {}
    ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - begun_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point begun_ = Clock::now();
};

CutRecord record_at(const Transport::Message& message, std::size_t& at)
{
    CutRecord out;
    std::memcpy(&out, message.data() + at, sizeof out);
    at += sizeof out;
    return out;
}

}  // namespace

Conductor::Conductor(std::vector<Part> parts, std::vector<CutLink*> links, Transport& transport, Time lookahead,
    Turns::Rules rules, std::size_t threads, std::uint32_t first, std::uint32_t all)
    : parts_(std::move(parts)), links_(std::move(links)), transport_(transport), lookahead_(lookahead), first_(first),
      all_(all > 0 ? all : static_cast<std::uint32_t>(parts_.size())), pool_(parts_.size(), threads),
      turns_(parts_, all_, transport, std::move(rules)), notes_(parts_.size())
{
    lookahead_ = std::min(lookahead_, turns_.longest());
}

Time Conductor::last() const
{
    Time out = 0;
    for (const Part& part : parts_) out = std::max(out, part.event_queue->last());
    return out;
}

Conductor::Costs Conductor::costs() const
{
    Costs out{0, exchange_s_, deliver_s_};
    for (const Note& note : notes_) out.records += note.records;
    return out;
}

Pulse Conductor::agree(const Pulse& own)
{
    const Stopwatch exchanging(exchange_s_);
    return transport_.agree(own);
}

// Hands over what has come for a part, and notes the earliest time at which something is due or arrives there. What a record makes modules send,
// such as the credit of a response that passes through a port, is on its way from its arrival on.
void Conductor::deliver(std::size_t part)
{
    const std::uint32_t to = first_ + static_cast<std::uint32_t>(part);
    Note& note = notes_[part];
    note.least = never;
    for (std::uint32_t turn = 0; turn < all_; ++turn) {
        const std::uint32_t from = backwards_ ? all_ - 1 - turn : turn;
        const Transport::Message& message = transport_.inbox(to, from);
        for (std::size_t at = 0; at < message.size();) {
            const CutRecord record = record_at(message, at);
            note.least = std::min(note.least, record.due);
            ++note.records;
            at += links_[record.link]->deliver(record, message.data() + at, begin_);
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

// False: nothing was on its way to parts of this process.
bool Conductor::exchange()
{
    bool any = false;
    {
        const Stopwatch exchanging(exchange_s_);
        any = transport_.exchange();
    }
    const Stopwatch delivering(deliver_s_);
    attempt([this] { each([this](std::size_t part) { deliver(part); }); });
    return any;
}

// What fails here must not keep other processes waiting: it is rethrown when all know of it, and nothing more is done until then.
void Conductor::attempt(const std::function<void()>& action)
{
    if (failure_ != nullptr) return;
    try {
        action();
    } catch (...) {
        failure_ = std::current_exception();
    }
}

// Runs what is due before begin_ in all parts.
void Conductor::run_window(const Pulse& all)
{
    if (turns_.steps(all)) {
        begin_ = all.least + 1;
        turns_.run_instant(all.least, failure_);
        return;
    }
    begin_ = std::min(begin_, turns_.limit(all));
    attempt([this] {
        each([this](std::size_t part) {
            EventQueue& event_queue = *parts_[part].event_queue;
            keep_errors_of_part(event_queue, [&] { event_queue.run_window(begin_); });
        });
    });
    turns_.take(begin_, failure_);
}

// Whether somebody here wants the run to end.
void Conductor::look(const Between& between)
{
    stopped_ = std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.event_queue->stopped(); });
    attempt([&] { wanted_ = stopped_ || !between.go_on || between.go_on(begin_ - 1); });
}

// What is on its way arrives, and all parts are at the time of the last item that ran anywhere.
void Conductor::come_to_rest()
{
    for (bool on_way = true; on_way;) {
        Pulse own;
        own.flags = exchange() ? Pulse::on_way : 0;
        on_way = agree(own).has(Pulse::on_way);
    }
    Pulse own;
    own.least = ~last();
    for (const Part& part : parts_) own.since = std::max(own.since, part.event_queue->last_effect());
    const Pulse all = agree(own);
    for (const Part& part : parts_) part.event_queue->end_part(~all.least, all.since);
}

Conductor::End Conductor::run(Time until, const Between& between)
{
    End end = End::idle;
    for (;;) {
        exchange();
        Pulse own = turns_.pulse();
        for (const Note& note : notes_) own.least = std::min(own.least, note.least);
        for (const Part& part : parts_)
            if (!part.event_queue->stands()) own.flags |= Pulse::goes_on;
        if (failure_ != nullptr || stopped_ || !wanted_) own.flags |= Pulse::stopped;
        if (failure_ == nullptr && between.has_news && between.has_news()) own.flags |= Pulse::news;
        const Pulse all = agree(own);
        if (all.has(Pulse::news)) attempt(between.share_news);
        if (all.has(Pulse::stopped)) {
            end = End::stopped;
            break;
        }
        if (all.least == never) break;
        if (all.least > until) {
            end = End::until;
            next_ = all.least;
            break;
        }
        ++windows_;
        for (const Part& part : parts_) part.event_queue->set_only_standing(!all.has(Pulse::goes_on));
        const Time window = all.least > never - lookahead_ ? never : all.least + lookahead_;
        begin_ = until < never ? std::min(window, until + 1) : window;
        run_window(all);
        look(between);
    }
    come_to_rest();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return end;
}

}  // namespace weft
