#include "collectives/schedule/order.h"

#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>

namespace weft {

namespace {

std::uint64_t key(std::uint32_t rank, std::uint32_t index) { return std::uint64_t{rank} << 32 | index; }

void sort_unique(std::vector<std::uint64_t>& keys)
{
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint32_t position(const std::vector<std::uint64_t>& keys, std::uint64_t wanted)
{
    return static_cast<std::uint32_t>(std::lower_bound(keys.begin(), keys.end(), wanted) - keys.begin());
}

struct Waiter {
    std::uint32_t thread = 0;
    std::uint32_t step = 0;  // of the thread waited for
};

// The part of a slot that a step stores, in chunks that are all as long: from begin / unit to end / unit.
struct SlotPart {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t unit = 1;

    bool overlaps(const SlotPart& other) const
    {
        return begin * other.unit < other.end * unit && other.begin * unit < end * other.unit;
    }
};

SlotPart part_of(const Step& step, std::uint32_t rank, std::uint32_t slot)
{
    for (const ChunkRef& ref : step.destinations) {
        if (ref.buffer != Buffer::packets || ref.rank != rank || slot < ref.index || slot >= ref.index + ref.count)
            continue;
        const std::uint64_t parts = step.parts;
        const std::uint64_t first = (slot - ref.index) * parts;
        const std::uint64_t begin = std::max<std::uint64_t>(std::uint64_t{step.part} * ref.count, first);
        const std::uint64_t end = std::min<std::uint64_t>((std::uint64_t{step.part} + 1) * ref.count, first + parts);
        if (begin < end) return {begin - first, end - first, parts};
    }
    return {};
}

// Who stores packets where.
class PacketStores {
public:
    struct Store {
        std::uint32_t thread = 0;
        std::uint32_t step = 0;
    };

    PacketStores(const Schedule& schedule, const Numbering& numbering) : schedule_(schedule)
    {
        for (std::uint32_t t = 0; t < numbering.threads(); ++t) {
            const StepAt owner = numbering.owner(t);
            const std::vector<Step>& steps = schedule.ranks[owner.rank].threads[owner.thread].steps;
            for (std::uint32_t s = 0; s < steps.size(); ++s)
                for (const ChunkRef& ref : steps[s].destinations)
                    for (std::uint32_t i = 0; ref.buffer == Buffer::packets && i < ref.count; ++i)
                        stores_.push_back({key(ref.rank, ref.index + i), {owner.rank, owner.thread, s}, {t, s}});
        }
        std::stable_sort(stores_.begin(), stores_.end(),
            [](const Entry& a, const Entry& b) { return a.slot < b.slot; });
    }

    // Calls visit(store) for what a read of a slot by `step` waits for, until it returns false; returns how many there are.
    template <typename Visit>
    std::size_t for_each(const Step& step, std::uint32_t rank, std::uint32_t slot, Visit&& visit) const
    {
        std::size_t count = 0;
        const Entry wanted{key(rank, slot), {}, {}};
        const auto [first, last] = std::equal_range(stores_.begin(), stores_.end(), wanted,
            [](const Entry& a, const Entry& b) { return a.slot < b.slot; });
        for (auto entry = first; entry != last; ++entry) {
            const Step& other = step_at(schedule_, entry->at);
            const bool alike =
                other.parts == step.parts && other.sources.front().count == 1 && step.sources.front().count == 1;
            if (alike && other.part != step.part) continue;
            ++count;
            if (!visit(entry->store)) break;
        }
        return count;
    }
    bool empty() const { return stores_.empty(); }

private:
    struct Entry {
        std::uint64_t slot;
        StepAt at;
        Store store;
    };

    const Schedule& schedule_;
    std::vector<Entry> stores_;  // by slot
};

class Runner {
public:
    Runner(const Schedule& schedule, const Numbering& numbering)
        : schedule_(schedule), numbering_(numbering), next_(numbering.threads()), dependents_(numbering.threads()),
          sent_(numbering.semaphores()), taken_(numbering.semaphores()), sleepers_(numbering.semaphores()),
          arrived_(numbering.barriers()), packets_(schedule, numbering)
    {
        for (std::uint32_t t = 0; t < numbering.threads(); ++t) {
            owners_.push_back(numbering.owner(t));
            ready_.push_back(t);
        }
    }

    Order run()
    {
        while (!ready_.empty()) {
            const std::uint32_t thread = ready_.front();
            ready_.pop_front();
            while (advance(thread)) {
            }
        }
        if (order_.steps.size() < total_steps()) report_blocked();
        return std::move(order_);
    }

private:
    const std::vector<Step>& steps_of(std::uint32_t thread) const
    {
        return schedule_.ranks[owners_[thread].rank].threads[owners_[thread].thread].steps;
    }

    StepAt at(std::uint32_t thread) const { return {owners_[thread].rank, owners_[thread].thread, next_[thread]}; }

    const StepId* unmet(std::uint32_t thread) const
    {
        for (const StepId& dependency : steps_of(thread)[next_[thread]].after)
            if (next_[numbering_.thread(owners_[thread].rank, dependency.thread)] <= dependency.step)
                return &dependency;
        return nullptr;
    }

    void complete(std::uint32_t thread)
    {
        order_.steps.push_back(at(thread));
        ++next_[thread];
        std::vector<Waiter>& dependents = dependents_[thread];
        for (std::size_t i = 0; i < dependents.size();) {
            if (next_[thread] <= dependents[i].step) {
                ++i;
                continue;
            }
            ready_.push_back(dependents[i].thread);
            dependents.erase(dependents.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    // Runs one step; false when the thread is at its end or has to wait.
    bool advance(std::uint32_t thread)
    {
        if (next_[thread] >= steps_of(thread).size()) return false;
        const Step& step = steps_of(thread)[next_[thread]];
        const std::uint32_t rank = owners_[thread].rank;
        if (const StepId* dependency = unmet(thread)) {
            dependents_[numbering_.thread(rank, dependency->thread)].push_back({thread, dependency->step});
            return false;
        }
        if (is_data(step.kind) && waits_for_packets(thread, step)) return false;
        if (step.kind == StepKind::push_reduce) return push(thread, step);
        if (step.kind == StepKind::wait) {
            const std::uint32_t semaphore = numbering_.semaphore(rank, step.semaphore);
            if (taken_[semaphore] == sent_[semaphore]) {
                sleepers_[semaphore].push_back(thread);
                return false;
            }
            ++taken_[semaphore];
        } else if (step.kind == StepKind::barrier) {
            return join(thread, step);
        }
        complete(thread);
        if (step.kind == StepKind::signal) {
            const std::uint32_t semaphore = numbering_.semaphore(step.peer, step.semaphore);
            ++sent_[semaphore];
            if (!sleepers_[semaphore].empty()) {
                ready_.push_back(sleepers_[semaphore].front());
                sleepers_[semaphore].pop_front();
            }
        }
        return true;
    }

    // The first slot that `step` reads and that is not complete; calls open(store) for what it waits for.
    template <typename Open>
    const ChunkRef* incomplete(const Step& step, std::uint32_t& chunk, Open&& open) const
    {
        for (const ChunkRef& ref : step.sources)
            for (chunk = 0; ref.buffer == Buffer::packets && chunk < ref.count; ++chunk) {
                bool missing = false;
                const std::size_t stores =
                    packets_.for_each(step, ref.rank, ref.index + chunk, [&](const PacketStores::Store& store) {
                        if (next_[store.thread] > store.step) return true;
                        missing = true;
                        open(store);
                        return false;
                    });
                if (missing || stores == 0) return &ref;
            }
        return nullptr;
    }

    bool waits_for_packets(std::uint32_t thread, const Step& step)
    {
        std::uint32_t chunk = 0;
        return incomplete(step, chunk, [&](const PacketStores::Store& store) {
            dependents_[store.thread].push_back({thread, store.step});
        }) != nullptr;
    }

    // What goes together in one push_reduce: the same chunk of the same members, cut alike.
    static std::vector<std::uint64_t> push_key(const Step& step)
    {
        const ChunkRef& first = step.destinations.front();
        std::vector<std::uint64_t> out{static_cast<std::uint64_t>(first.buffer), first.index, first.count, step.part,
            step.parts};
        for (const ChunkRef& member : step.destinations) out.push_back(member.rank);
        return out;
    }

    bool push(std::uint32_t thread, const Step& step)
    {
        std::vector<std::deque<std::uint32_t>>& arrived = pushed_[push_key(step)];
        arrived.resize(step.destinations.size());
        for (std::size_t m = 0; m < arrived.size(); ++m)
            if (step.destinations[m].rank == owners_[thread].rank) arrived[m].push_back(thread);
        for (const std::deque<std::uint32_t>& member : arrived)
            if (member.empty()) return false;
        for (std::deque<std::uint32_t>& member : arrived) {
            const std::uint32_t participant = member.front();
            member.pop_front();
            complete(participant);
            if (participant != thread) ready_.push_back(participant);
        }
        return true;
    }

    std::string missing_members(const Step& step) const
    {
        std::string out;
        const std::vector<std::deque<std::uint32_t>>& arrived = pushed_.at(push_key(step));
        for (std::size_t m = 0; m < arrived.size(); ++m)
            if (arrived[m].empty()) out += fmt::format("{}{}", out.empty() ? "" : ", ", step.destinations[m].rank);
        return out;
    }

    bool join(std::uint32_t thread, const Step& step)
    {
        std::vector<std::uint32_t>& arrived = arrived_[numbering_.barrier(owners_[thread].rank, step.semaphore)];
        arrived.push_back(thread);
        if (arrived.size() < step.participants) return false;
        const std::vector<std::uint32_t> together = std::move(arrived);
        arrived.clear();
        for (std::uint32_t participant : together) {
            complete(participant);
            if (participant != thread) ready_.push_back(participant);
        }
        return true;
    }

    std::size_t total_steps() const
    {
        std::size_t total = 0;
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t) total += steps_of(t).size();
        return total;
    }

    void report_blocked()
    {
        // Per semaphore, the first signal that has not been sent.
        std::vector<std::string> senders(numbering_.semaphores());
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t)
            for (std::uint32_t s = next_[t]; s < steps_of(t).size(); ++s) {
                const Step& step = steps_of(t)[s];
                if (step.kind != StepKind::signal) continue;
                std::string& sender = senders[numbering_.semaphore(step.peer, step.semaphore)];
                if (sender.empty())
                    sender = fmt::format("which rank {} thread {} would send in step {}", owners_[t].rank,
                        owners_[t].thread, s);
            }
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t)
            if (next_[t] < steps_of(t).size()) order_.blocked.push_back({at(t), reason(t, senders)});
    }

    std::string place(const PacketStores::Store& store) const
    {
        return fmt::format("rank {} thread {}", owners_[store.thread].rank, owners_[store.thread].thread);
    }

    // How a slot is stored that a step waits for: not at all, more than once, or by `open` that has not run.
    std::string stored(const Step& step, std::uint32_t rank, std::uint32_t slot, const PacketStores::Store* open) const
    {
        if (open == nullptr) return "no rank stores";
        std::vector<PacketStores::Store> stores;
        packets_.for_each(step, rank, slot, [&stores](const PacketStores::Store& store) {
            stores.push_back(store);
            return true;
        });
        const auto part = [&](const PacketStores::Store& store) {
            return part_of(steps_of(store.thread)[store.step], rank, slot);
        };
        for (std::size_t i = 0; i < stores.size(); ++i)
            for (std::size_t k = i + 1; k < stores.size(); ++k)
                if (part(stores[i]).overlaps(part(stores[k])))
                    return fmt::format(
                        "is stored twice, by {} in step {} and by {} in step {}; a slot can be stored once",
                        place(stores[i]), stores[i].step, place(stores[k]), stores[k].step);
        return fmt::format("{} would store in step {}", place(*open), open->step);
    }

    std::string reason(std::uint32_t thread, const std::vector<std::string>& senders) const
    {
        const Step& step = steps_of(thread)[next_[thread]];
        const std::uint32_t rank = owners_[thread].rank;
        if (const StepId* dependency = unmet(thread))
            return fmt::format("waits for step {} of thread {} of its rank", dependency->step, dependency->thread);
        if (step.kind == StepKind::barrier)
            return fmt::format("waits at barrier {} with {} of {} participants", step.semaphore,
                arrived_[numbering_.barrier(rank, step.semaphore)].size(), step.participants);
        if (step.kind == StepKind::push_reduce && pushed_.count(push_key(step)) > 0) {
            const std::string missing = missing_members(step);
            if (!missing.empty()) return fmt::format("waits for the contribution of rank {}", missing);
        }
        if (is_data(step.kind)) {
            std::uint32_t chunk = 0;
            const PacketStores::Store* open = nullptr;
            PacketStores::Store store;
            const ChunkRef* slot =
                incomplete(step, chunk, [&](const PacketStores::Store& one) { open = &(store = one); });
            if (slot == nullptr) return "waits for the other members of its push_reduce";
            return fmt::format("waits for packets in slot {}, which {}", slot->index + chunk,
                stored(step, slot->rank, slot->index + chunk, open));
        }
        const std::uint32_t semaphore = numbering_.semaphore(rank, step.semaphore);
        const std::string& sender = senders[semaphore];
        return fmt::format("waits for signal {} on semaphore {} from rank {}, {}", taken_[semaphore] + 1,
            step.semaphore, step.peer, sender.empty() ? "which no rank sends" : sender);
    }

    const Schedule& schedule_;
    const Numbering& numbering_;
    std::vector<StepAt> owners_;
    std::vector<std::uint32_t> next_;
    std::vector<std::vector<Waiter>> dependents_;
    std::vector<std::uint64_t> sent_;
    std::vector<std::uint64_t> taken_;
    std::vector<std::deque<std::uint32_t>> sleepers_;
    std::vector<std::vector<std::uint32_t>> arrived_;
    PacketStores packets_;
    std::map<std::vector<std::uint64_t>, std::vector<std::deque<std::uint32_t>>> pushed_;  // by member
    std::deque<std::uint32_t> ready_;
    Order order_;
};

}  // namespace

const Step& step_at(const Schedule& schedule, StepAt at)
{
    return schedule.ranks[at.rank].threads[at.thread].steps[at.step];
}

std::string describe(const Schedule& schedule, StepAt at)
{
    return fmt::format("rank {} thread {} step {} ({})", at.rank, at.thread, at.step,
        name_of(step_at(schedule, at).kind));
}

Numbering::Numbering(const Schedule& schedule)
{
    first_thread_.push_back(0);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const RankPlan& plan = schedule.ranks[rank];
        first_thread_.push_back(first_thread_.back() + static_cast<std::uint32_t>(plan.threads.size()));
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps) {
                if (step.kind == StepKind::signal) semaphores_.push_back(key(step.peer, step.semaphore));
                if (step.kind == StepKind::wait) semaphores_.push_back(key(rank, step.semaphore));
                if (step.kind == StepKind::barrier) barriers_.push_back(key(rank, step.semaphore));
            }
    }
    sort_unique(semaphores_);
    sort_unique(barriers_);
}

StepAt Numbering::owner(std::uint32_t thread) const
{
    const auto after = std::upper_bound(first_thread_.begin(), first_thread_.end(), thread);
    const auto rank = static_cast<std::uint32_t>(after - first_thread_.begin() - 1);
    return {rank, thread - first_thread_[rank], 0};
}

std::uint32_t Numbering::semaphore(std::uint32_t rank, std::uint32_t index) const
{
    return position(semaphores_, key(rank, index));
}

std::uint32_t Numbering::barrier(std::uint32_t rank, std::uint32_t index) const
{
    return position(barriers_, key(rank, index));
}

Order legal_order(const Schedule& schedule, const Numbering& numbering) { return Runner(schedule, numbering).run(); }

}  // namespace weft
