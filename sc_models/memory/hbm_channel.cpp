#include "sc_models/memory/hbm_channel.h"

#include <algorithm>

namespace weft {

namespace {

std::uint64_t bit(unsigned bank) { return std::uint64_t{1} << bank; }
Line* after(const Line& line) { return line.next == nullptr ? nullptr : &Line::of(*line.next); }
unsigned lowest(std::uint64_t banks) { return static_cast<unsigned>(__builtin_ctzll(banks)); }

}  // namespace

HbmChannel::HbmChannel(const HbmTiming& timing, unsigned index, PackedArrays& arrays, Owner& owner)
    : timing_(timing), per_bank_(timing.spec.refresh == RefreshMode::per_bank),
      activates_(timing.spec.t_rrd, timing.spec.t_faw), owner_(owner)
{
    arrays.add(ready_, places(timing.banks));
    arrays.add(banks_, timing.banks);
    arrays.add(group_free_, timing.spec.bank_groups);
    const std::uint64_t channels = timing.spec.channels;
    const Time period = timing.spec.t_refi;
    const bool all_bank = timing.spec.refresh == RefreshMode::all_bank;
    const unsigned refreshed = all_bank ? 1 : per_bank_ ? timing.banks : 0;
    for (unsigned i = 0; i < refreshed; ++i)
        refreshes_.emplace_back(timing, period + period * (i * channels + index) / (refreshed * channels));
    if (all_bank) refresh_due_ = refreshes_[0].due();
}

void HbmChannel::Queue::append(Line& line)
{
    line.next = nullptr;
    if (head == nullptr) {
        head = &line;
    } else {
        tail->next = &line;
    }
    tail = &line;
}

void HbmChannel::Queue::remove(Line& line, Line* before)
{
    Line* following = after(line);
    if (before == nullptr) {
        head = following;
    } else {
        before->next = following;
    }
    if (following == nullptr) tail = before;
}

void HbmChannel::accept(Line& line, unsigned bank, std::uint32_t row, Time now)
{
    const Direction direction = line.op == LineOp::read ? read : write;
    line.scratch.memory = {now, row, next_turn(now), static_cast<std::uint8_t>(bank)};
    if (refresh_due(now)) refresh_all(now);
    if (held_[direction] >= timing_.seen[direction]) {
        outside_[direction].append(line);
    } else {
        admit(line, now);
    }
}

std::uint16_t HbmChannel::next_turn(Time now)
{
    turn_ = now == arrived_ ? turn_ + 1 : 0;
    arrived_ = now;
    if (turn_ > 0xffff) SC_REPORT_FATAL("/weft/hbm", "more than 65536 requests reach a channel in one instant");
    return static_cast<std::uint16_t>(turn_);
}

// The scheduler knows nothing of a line before.
void HbmChannel::admit_from_outside(Line& line, Time now)
{
    const Time waited = now - line.scratch.memory.arrived;
    counts_.waited += waited * line.lines();
    line.tail -= static_cast<std::uint32_t>(std::min<Time>(line.tail, waited));
    line.scratch.memory.arrived = now;
    line.scratch.memory.turn = next_turn(now);
    admit(line, now);
}

void HbmChannel::admit(Line& line, Time now)
{
    const Direction direction = line.op == LineOp::read ? read : write;
    const unsigned number = line.scratch.memory.bank;
    held_[direction] += line.lines();
    banks_[number].waiting[direction].append(line);
    waiting_[direction] |= bit(number);
    if (direction == write) owner_.took(line);
    if (direction == direction_) {
        if ((wanted_ & bit(number)) == 0) open_for_oldest(number, now);
    } else if (direction == write && held_[write] >= timing_.high && held_[write] - line.lines() < timing_.high) {
        for (std::uint64_t left = waiting_[write]; left != 0; left &= left - 1) open_ahead(lowest(left), now);
    } else {
        open_ahead(number, now);
    }
}

// Of a bank that only the direction after the next turn wants, when that is near.
void HbmChannel::open_ahead(unsigned number, Time now)
{
    const Direction next = direction_ == read ? write : read;
    if (next == write && held_[write] < timing_.high) return;
    Bank& bank = banks_[number];
    const Line* oldest = bank.waiting[next].head;
    if ((waiting_[direction_] & bit(number)) != 0 || oldest == nullptr) return;
    rest(number, now);
    if (!bank.state.open(oldest->scratch.memory.row)) activate(number, oldest->scratch.memory.row, now);
}

void HbmChannel::activate(unsigned number, std::uint32_t row, Time now)
{
    ready_[number].column = banks_[number].state.activate(row, timing_, activates_, now);
}

// What happened to a bank that no line wanted.
void HbmChannel::rest(unsigned number, Time now)
{
    HbmBank& bank = banks_[number].state;
    bank.close_idle(timing_, now);
    if (per_bank_ && refreshes_[number].due() <= now)
        bank.close(refreshes_[number].catch_up(now, bank.rests_at(timing_)));
}

// Of a bank that has lines of the served direction and wants none of them yet.
void HbmChannel::open_for_oldest(unsigned number, Time now)
{
    rest(number, now);
    Bank& bank = banks_[number];
    Line* oldest = bank.waiting[direction_].head;
    if (find_wanted(number, oldest, nullptr)) return;
    activate(number, oldest->scratch.memory.row, now);
    find_wanted(number, oldest, nullptr);
}

// The next line for the open row, looked for from `from` on; `before` is the one in front of that.
bool HbmChannel::find_wanted(unsigned number, Line* from, Line* before)
{
    Bank& bank = banks_[number];
    while (from != nullptr && !bank.state.open(from->scratch.memory.row)) {
        before = from;
        from = after(*from);
    }
    bank.before = before;
    if (from == nullptr) {
        wanted_ &= ~bit(number);
        return false;
    }
    ready_[number].arrived = from->scratch.memory.arrived;
    wanted_ |= bit(number);
    return true;
}

bool HbmChannel::refresh_due(Time now) const { return refresh_due_ <= now && moved_since_refresh_; }

void HbmChannel::refresh_all(Time now)
{
    moved_since_refresh_ = held_[read] + held_[write] == 0;
    Time rests_at = 0;
    for (unsigned number = 0; number < timing_.banks; ++number)
        rests_at = std::max(rests_at, banks_[number].state.rests_at(timing_));
    const Time end = refreshes_[0].catch_up(now, rests_at);
    refresh_due_ = refreshes_[0].due();
    for (unsigned number = 0; number < timing_.banks; ++number) banks_[number].state.close(end);
    wanted_ = 0;
    for (std::uint64_t left = waiting_[direction_]; left != 0; left &= left - 1) open_for_oldest(lowest(left), now);
}

void HbmChannel::choose_direction(Time now)
{
    if (direction_ == read) {
        if (held_[read] == 0 || (held_[write] >= timing_.high && left_ == 0)) turn(write, now);
    } else if (held_[read] > 0 && (held_[write] <= timing_.low || left_ == 0)) {
        turn(read, now);
    }
}

void HbmChannel::turn(Direction direction, Time now)
{
    direction_ = direction;
    left_ = timing_.high - timing_.low;
    turned_ = 0;
    const Time free = pins_free_;
    if (direction != moved_ && free != 0) {
        const Time write_data = free + timing_.spec.t_cl + timing_.spec.t_rtw;
        turned_ = direction == read ? free + timing_.spec.t_wl + timing_.spec.t_wtr
                                    : std::max(free, write_data - std::min(write_data, timing_.spec.t_wl));
        if (turned_ > now) counts_.turnaround += turned_ - now;
    }
    wanted_ = 0;
    for (std::uint64_t left = waiting_[direction]; left != 0; left &= left - 1) open_for_oldest(lowest(left), now);
}

// Whether the wanted line of bank `number` arrived before that of bank `other`.
inline bool HbmChannel::came_first(unsigned number, unsigned other) const
{
    const Time one = ready_[number].arrived;
    const Time two = ready_[other].arrived;
    if (one != two) return one < two;
    return wanted_line(number).scratch.memory.turn < wanted_line(other).scratch.memory.turn;
}

unsigned HbmChannel::first_ready(Time now, Time& at) const
{
    const Time floor = std::max(now, turned_);
    at = never;
    unsigned best = 0;
    for (std::uint64_t left = wanted_; left != 0; left &= left - 1) {
        const unsigned number = lowest(left);
        const Time group = group_free_[timing_.group_of[number]];
        const Time ready = std::max(floor, std::max(ready_[number].column, group));
        if (ready > at || (ready == at && !came_first(number, best))) continue;
        at = ready;
        best = number;
    }
    return best;
}

HbmChannel::Step HbmChannel::step(Time now)
{
    if (held_[read] + held_[write] == 0) return {nullptr, 0, never};
    if (pins_free_ > now) return {nullptr, 0, pins_free_};
    if (refresh_due(now)) refresh_all(now);
    choose_direction(now);
    for (;;) {
        Time at = never;
        const unsigned number = first_ready(now, at);
        if (at > now) return {nullptr, 0, at};
        const Bank& bank = banks_[number];
        const bool overdue =
            per_bank_ && bank.state.used() && refreshes_[number].due() + timing_.spec.t_refi / 2 <= now;
        const bool unfair = bank.before != nullptr &&
            now - bank.waiting[direction_].head->scratch.memory.arrived > timing_.spec.age_limit;
        if (!overdue && !unfair) return serve(number, now);
        if (unfair) activate(number, bank.waiting[direction_].head->scratch.memory.row, now);
        open_for_oldest(number, now);
    }
}

// From the first column command of a line on.
void HbmChannel::occupy_pins(Time first)
{
    Time taken = timing_.line;
    pins_rest_ = timing_.line_rest + (first > pins_free_ ? 0 : pins_rest_);
    if (pins_rest_ >= timing_.rate) {
        pins_rest_ -= timing_.rate;
        ++taken;
    }
    pins_free_ = first + taken;
    counts_.busy += taken;
}

// Pins and bank groups, by an access with its first line in `group` and the others in the next groups in turn. What comes behind a wide
// one keeps the distance of a stream. Returns the first column command of the last line.
Time HbmChannel::occupy(unsigned group, Time first, std::uint32_t lines)
{
    occupy_pins(first);
    group_free_[group] = first + timing_.group_busy;
    if (lines == 1) return first;
    const auto groups = static_cast<std::uint32_t>(timing_.spec.bank_groups);
    const Time apart = timing_.group_busy / groups;
    for (std::uint32_t line = 1; line < lines; ++line) {
        first = std::max(pins_free_, first + apart);
        occupy_pins(first);
        if (line % groups == 0) group_free_[group] = first + timing_.group_busy;
    }
    for (std::uint32_t other = 0; other < groups; ++other)
        group_free_[other] = std::max(group_free_[other], first + apart);
    return first;
}

HbmChannel::Step HbmChannel::serve(unsigned number, Time now)
{
    Bank& bank = banks_[number];
    Line& line = wanted_line(number);
    const bool writes = direction_ == write;
    const std::uint32_t lines = line.lines();
    Time last = occupy(timing_.group_of[number], now, lines);
    if (lines > 1) last = std::max(last, line.scratch.memory.arrived + line.tail);
    const auto rows = std::min(lines, static_cast<std::uint32_t>(timing_.spec.bank_groups));
    counts_.accesses[static_cast<unsigned>(bank.state.access(writes, timing_, last))] += rows;
    counts_.accesses[static_cast<unsigned>(HbmBank::Access::hit)] += lines - rows;
    (writes ? counts_.writes : counts_.reads) += lines;
    counts_.waited += (now - line.scratch.memory.arrived) * lines;
    moved_ = direction_;
    moved_since_refresh_ = true;

    Queue& queue = bank.waiting[direction_];
    Line* following = after(line);
    queue.remove(line, bank.before);
    held_[direction_] -= lines;
    left_ -= std::min<std::uint64_t>(left_, lines);
    if (queue.head == nullptr) {
        wanted_ &= ~bit(number);
        waiting_[direction_] &= ~bit(number);
        open_ahead(number, now);
    } else if (!find_wanted(number, following, bank.before)) {
        open_for_oldest(number, now);
    }
    Queue& outside = outside_[direction_];
    while (outside.head != nullptr && held_[direction_] < timing_.seen[direction_]) {
        Line& next = *outside.head;
        outside.remove(next, nullptr);
        admit_from_outside(next, now);
    }
    const Time data = last - now + (writes ? timing_.spec.t_wl : timing_.spec.t_cl) + timing_.data;
    const bool idle = held_[read] + held_[write] == 0;
    return {&line, data + timing_.spec.response_latency, idle ? never : pins_free_};
}

std::size_t HbmChannel::bytes(const HbmSpec& spec)
{
    const std::size_t banks = spec.bank_groups * spec.banks;
    const std::size_t refreshes = spec.refresh == RefreshMode::per_bank ? banks : 1;
    return sizeof(HbmChannel) + banks * (sizeof(Bank) + sizeof(Ready)) + spec.bank_groups * sizeof(Time) +
        refreshes * sizeof(HbmRefresh);
}

Time HbmChannel::refreshed() const
{
    Time sum = 0;
    for (const HbmRefresh& refresh : refreshes_) sum += refresh.refreshed();
    return sum;
}

void HbmChannel::reset_statistics()
{
    counts_ = {};
    for (HbmRefresh& refresh : refreshes_) refresh.reset();
}

}  // namespace weft
