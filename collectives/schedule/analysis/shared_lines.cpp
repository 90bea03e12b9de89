#include "collectives/schedule/analysis/shared_lines.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/schedule/analysis/step_walk.h"
#include "collectives/schedule/layout.h"

namespace weft {

namespace {

struct LineAt {
    std::uint32_t rank = 0;
    Buffer memory = Buffer::input;
    std::uint64_t line = 0;

    bool operator<(const LineAt& other) const
    {
        return std::tie(rank, memory, line) < std::tie(other.rank, other.memory, other.line);
    }
    bool operator==(const LineAt& other) const
    {
        return rank == other.rank && memory == other.memory && line == other.line;
    }
};

// The lines of which the piece stores a part at this destination; within it the first one stands for all.
template <class Visit>
void each_part(const Piece& piece, const Place& to, const Visit& visit)
{
    constexpr std::uint64_t instruction_lines =
        8;  // of the default: shorter moves are cut at the lines of their destination only
    const std::uint64_t end = to.offset + piece.bytes;
    if (to.offset % line_bytes != 0 || end < (to.offset / line_bytes + 1) * line_bytes)
        visit(LineAt{to.rank, to.memory, to.offset / line_bytes});
    if (end % line_bytes != 0 && end / line_bytes != to.offset / line_bytes)
        visit(LineAt{to.rank, to.memory, end / line_bytes});
    const Place& first = piece.sources.front();
    if (first.offset % line_bytes != to.offset % line_bytes && piece.bytes > instruction_lines * line_bytes)
        visit(LineAt{to.rank, to.memory, to.offset / line_bytes + 1});
}

class LineWalk {
public:
    LineWalk(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
        : schedule_(schedule), layout_(schedule, bytes, element_bytes)
    {
        for (const RankPlan& plan : schedule.ranks)
            for (const Thread& thread : plan.threads)
                for (const Step& step : thread.steps) note_lines(step);
        std::sort(lines_.begin(), lines_.end());
        lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
        touched_.resize(lines_.size());
    }

    // Called with the place of a step, and the rank and the memory where it stores or reads.
    template <class Fetches, class Finds>
    void run(const Fetches& fetches, const Finds& finds)
    {
        if (lines_.empty()) return;
        StepWalk(schedule_).run([&](const StepWalk& walk, const StepAt* begin, const StepAt* end) {
            for (const StepAt* at = begin; at != end; ++at) read(walk, *at, finds);
            for (const StepAt* at = begin; at != end; ++at) store(walk, *at);
            for (const StepAt* at = begin; at != end; ++at) touch(walk, *at);
        });
        for (const Untied& store : stores_)
            if (touched_[store.line].earliest >= store.moves) fetches(store.at, store.place);
    }

private:
    static std::uint64_t lines_of(const Piece& piece, const Place& place)
    {
        return (place.offset + piece.bytes - 1) / line_bytes - place.offset / line_bytes + 1;
    }
    // So few lines that neighbours may have a part of each of them.
    static bool is_small(const Piece& piece, const Place& place) { return lines_of(piece, place) <= 2; }

    void note_lines(const Step& step)
    {
        each_store(step, [&](const Piece& piece, const Place& to) {
            each_part(piece, to, [&](const LineAt& line) { lines_.push_back(line); });
        });
        if (!is_data(step.kind) || step.sources.empty()) return;
        for (const Piece& piece : layout_.pieces(step))
            for (const Place& from : piece.sources)
                for (std::uint64_t i = 0; is_small(piece, from) && i < lines_of(piece, from); ++i)
                    lines_.push_back({from.rank, from.memory, from.offset / line_bytes + i});
    }

    template <class Visit>
    void each_store(const Step& step, const Visit& visit) const
    {
        if (!is_data(step.kind) || step.sources.empty()) return;
        for (const Piece& piece : layout_.pieces(step))
            for (const Place& to : piece.destinations)
                if (to.memory != Buffer::packets) visit(piece, to);
    }

    // Calls visit(number) for the known lines of a place.
    template <class Visit>
    void each_line(const Piece& piece, const Place& place, const Visit& visit) const
    {
        if (place.memory == Buffer::packets) return;
        const LineAt begin{place.rank, place.memory, place.offset / line_bytes};
        const LineAt end{place.rank, place.memory, (place.offset + piece.bytes - 1) / line_bytes + 1};
        for (auto at = std::lower_bound(lines_.begin(), lines_.end(), begin); at != lines_.end() && *at < end; ++at)
            visit(static_cast<std::size_t>(at - lines_.begin()));
    }

    // The same for all that the step reads and writes, with how many data steps between ranks it has taken until then.
    template <class Visit>
    void each_touched(const StepWalk& walk, StepAt at, const Visit& visit) const
    {
        const Step& step = step_at(schedule_, at);
        if (step.sources.empty()) return;
        const std::uint32_t before = walk.moves_before(at);
        for (const Piece& piece : layout_.pieces(step)) {
            for (const Place& from : piece.sources)
                each_line(piece, from, [&](std::size_t line) { visit(line, before + (from.rank != at.rank ? 1 : 0)); });
            for (const Place& to : piece.destinations)
                each_line(piece, to, [&](std::size_t line) { visit(line, before + arrival(at, piece, to)); });
        }
    }

    // Whether what the step stores there comes from another rank, by a load or by the store.
    static std::uint32_t arrival(StepAt at, const Piece& piece, const Place& to)
    {
        const bool own = to.rank == at.rank &&
            std::all_of(piece.sources.begin(), piece.sources.end(),
                [&](const Place& from) { return from.rank == at.rank; });
        return own ? 0 : 1;
    }

    bool is_there(const StepWalk& walk, std::size_t line, StepAt at) const
    {
        const std::vector<Epoch>& by = touched_[line].by;
        return std::any_of(by.begin(), by.end(), [&](const Epoch& epoch) { return walk.ordered(epoch, at); });
    }

    // A line that the step itself reads is there, too.
    bool reads(const Piece& piece, std::size_t line) const
    {
        bool out = false;
        for (const Place& from : piece.sources)
            each_line(piece, from, [&](std::size_t read) { out = out || read == line; });
        return out;
    }

    // All that the step reads of a rank, where it is small. What the thread itself has read just before is there, or as good as there.
    template <class Finds>
    void read(const StepWalk& walk, StepAt at, const Finds& finds) const
    {
        const Step& step = step_at(schedule_, at);
        if (step.sources.empty()) return;
        const std::uint32_t thread = walk.epoch(at).thread;
        std::map<std::uint32_t, bool> found;
        for (const Piece& piece : layout_.pieces(step))
            for (const Place& from : piece.sources) {
                if (from.memory == Buffer::packets) continue;
                bool& all = found.try_emplace(from.rank, true).first->second;
                all = all && is_small(piece, from);
                if (!all) continue;
                each_line(piece, from, [&](std::size_t line) {
                    const std::vector<Epoch>& by = touched_[line].by;
                    const auto own = [thread](const Epoch& epoch) { return epoch.thread == thread; };
                    all = all && (is_there(walk, line, at) || std::any_of(by.begin(), by.end(), own));
                });
            }
        for (const auto& [rank, all] : found)
            if (all) finds(at, Place{rank, Buffer::input, 0});
    }

    void store(const StepWalk& walk, StepAt at)
    {
        each_store(step_at(schedule_, at), [&](const Piece& piece, const Place& to) {
            const std::uint32_t moves = walk.moves_before(at) + arrival(at, piece, to);
            each_part(piece, to, [&](const LineAt& part) {
                const auto known = std::lower_bound(lines_.begin(), lines_.end(), part);
                const auto line = static_cast<std::size_t>(known - lines_.begin());
                if (!is_there(walk, line, at) && !reads(piece, line)) stores_.push_back({at, to, line, moves});
            });
        });
    }

    void touch(const StepWalk& walk, StepAt at)
    {
        each_touched(walk, at, [&](std::size_t line, std::uint32_t moves) {
            touched_[line].earliest = std::min(touched_[line].earliest, moves);
            if (!is_there(walk, line, at)) touched_[line].by.push_back(walk.epoch(at));
        });
    }

    struct Touched {
        std::uint32_t earliest = ~std::uint32_t{0};  // data steps between ranks until the first access
        std::vector<Epoch> by;                       // each ordered behind none before it
    };
    struct Untied {  // a store to a part of a line that is ordered behind no access of it
        StepAt at;
        Place place;
        std::size_t line = 0;
        std::uint32_t moves = 0;  // as above
    };

    const Schedule& schedule_;
    Layout layout_;
    std::vector<LineAt> lines_;     // that some move touches in part; sorted
    std::vector<Touched> touched_;  // the same
    std::vector<Untied> stores_;
};

}  // namespace

SharedLines::SharedLines(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
    : channels_(schedule.channels)
{
    // Where all chunks are whole lines, all their parts are.
    if (schedule.chunks == 0 || bytes % (std::uint64_t{line_bytes} * schedule.chunks) == 0) return;
    const auto add_to = [](std::vector<Access>& list) {
        return [&list](StepAt at, const Place& place) {
            list.push_back({at.rank, at.thread, at.step, place.rank, place.memory});
        };
    };
    LineWalk(schedule, bytes, element_bytes).run(add_to(fetches_), add_to(finds_));
    sort(fetches_);
    sort(finds_);
}

bool SharedLines::comes_before(const Access& a, const Access& b)
{
    return std::tie(a.rank, a.thread, a.step, a.at) < std::tie(b.rank, b.thread, b.step, b.at);
}

void SharedLines::sort(std::vector<Access>& list)
{
    std::sort(list.begin(), list.end(), comes_before);
    const auto same = [](const Access& a, const Access& b) { return !comes_before(a, b) && !comes_before(b, a); };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
    list.shrink_to_fit();
}

bool SharedLines::has(const std::vector<Access>& list, std::uint32_t rank, std::uint32_t thread, std::uint32_t step,
    std::uint32_t at) const
{
    return std::binary_search(list.begin(), list.end(), Access{rank, thread / channels_, step, at, Buffer::input},
        comes_before);
}

bool SharedLines::fetches(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t at) const
{
    return has(fetches_, rank, thread, step, at);
}

bool SharedLines::finds(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t at) const
{
    return has(finds_, rank, thread, step, at);
}

SharedLines SharedLines::without(const Buffers& cached) const
{
    SharedLines out = *this;
    const auto is_cached = [&](const Access& store) { return cached[store.at][static_cast<unsigned>(store.memory)]; };
    out.fetches_.erase(std::remove_if(out.fetches_.begin(), out.fetches_.end(), is_cached), out.fetches_.end());
    return out;
}

}  // namespace weft
