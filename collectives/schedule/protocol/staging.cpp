#include "collectives/schedule/protocol/staging.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/protocol/puts.h"

namespace weft {

namespace {

constexpr const char* without_staging = "engine.staging=none";
constexpr std::uint64_t most_slots = 65536;

// The same with a step for every chunk, so that a share of a step is a share of one chunk.
Schedule by_chunk(const Schedule& schedule)
{
    Schedule out = schedule;
    for (RankPlan& plan : out.ranks) {
        std::vector<std::vector<std::uint32_t>> last(plan.threads.size());
        for (std::size_t t = 0; t < plan.threads.size(); ++t) {
            std::vector<Step> steps;
            for (const Step& step : plan.threads[t].steps) {
                const std::uint32_t count = is_data(step.kind) ? step.sources.front().count : 1;
                for (std::uint32_t i = 0; i < count; ++i) {
                    Step one = step;
                    const auto narrow = [i](ChunkRef& ref) { ref = {ref.rank, ref.buffer, ref.index + i, 1}; };
                    for (ChunkRef& ref : one.sources) narrow(ref);
                    for (ChunkRef& ref : one.destinations) narrow(ref);
                    if (one.like) narrow(*one.like);
                    if (i > 0) one.after.clear();
                    one.with_previous |= i > 0;
                    steps.push_back(std::move(one));
                }
                last[t].push_back(static_cast<std::uint32_t>(steps.size() - 1));
            }
            plan.threads[t].steps = std::move(steps);
        }
        for (Thread& thread : plan.threads)
            for (Step& step : thread.steps)
                for (StepId& id : step.after) id.step = last[id.thread][id.step];
    }
    return out;
}

class StagedSchedule {
public:
    StagedSchedule(const Schedule& from, std::uint64_t bytes, std::uint32_t element_bytes, const StagingShape& shape)
        : from_(by_chunk(from)), numbering_(from_), found_(find_puts(from_, numbering_, "a FIFO", without_staging)),
          layout_(from_, bytes, element_bytes), shape_(shape), to_(from_), marks_(numbering_.threads())
    {
    }

    Schedule make()
    {
        if (found_.puts.empty()) return std::move(to_);
        for (const Put& put : found_.puts)
            if (!put.wait)
                refuse(fmt::format("no step waits for the data that {} puts", describe(from_, put.at)),
                    "a wait for every put");
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t) {
            const StepAt owner = numbering_.owner(t);
            marks_[t].resize(from_.ranks[owner.rank].threads[owner.thread].steps.size());
        }
        connect();
        choose_rounds();
        hand_out();
        for (Connection& connection : connections_) place(connection);
        check_cuts();
        for (std::uint32_t rank = 0; rank < from_.size(); ++rank) write_out(rank);
        return std::move(to_);
    }

private:
    struct Connection {
        std::uint32_t from = 0;  // ranks
        std::uint32_t to = 0;
        std::uint32_t of = 0;               // semaphore that told of its data
        std::vector<std::size_t> messages;  // of one round
        std::uint32_t width = 0;            // cells of a slot
        std::uint32_t first_cell = 0;       // at the receiver
        std::uint32_t data = 0;             // semaphore there
        std::uint32_t credits = 0;          // semaphore at the sender
    };

    // Where a put is: which message of its connection, which cell of its slot.
    struct Cell {
        std::size_t connection = 0;
        std::uint32_t message = 0;
        std::uint32_t cell = 0;
    };

    // What becomes of a step.
    struct Mark {
        std::vector<std::pair<unsigned, std::size_t>> puts;   // destination, put
        std::vector<std::pair<unsigned, std::size_t>> reads;  // source, put
        std::vector<ChunkRef> kept;                           // further destinations
        std::vector<std::size_t> copies;                      // puts that are copied to where they were put, behind it
        std::vector<std::pair<std::size_t, std::uint32_t>>
            released;                           // connection and message whose slot is free behind it
        std::optional<std::size_t> connection;  // of a signal or a wait
    };

    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const
    {
        throw InputError(from_.name, 0, what + ", which is impossible with a FIFO",
            expected + ", or " + without_staging);
    }

    Mark& mark(StepAt at) { return marks_[numbering_.thread(at.rank, at.thread)][at.step]; }

    void connect()
    {
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> known;
        cells_.resize(found_.puts.size());
        for (std::size_t m = 0; m < found_.messages.size(); ++m) {
            const Message& message = found_.messages[m];
            const std::uint32_t semaphore = step_at(from_, message.signal).semaphore;
            const auto [entry, fresh] =
                known.try_emplace({numbering_.thread(message.signal.rank, message.signal.thread),
                                      numbering_.thread(message.wait.rank, message.wait.thread), semaphore},
                    connections_.size());
            if (fresh) connections_.push_back({message.signal.rank, message.wait.rank, semaphore, {}, 0, 0, 0, 0});
            Connection& connection = connections_[entry->second];
            std::uint32_t cell = 0;
            for (const std::size_t put : message.puts)
                cells_[put] = {entry->second, static_cast<std::uint32_t>(connection.messages.size()), cell++};
            connection.width = std::max(connection.width, cell);
            connection.messages.push_back(m);
            mark(message.signal).connection = mark(message.wait).connection = entry->second;
        }
    }

    void choose_rounds()
    {
        std::uint32_t width = 1;
        std::uint32_t parts = found_.puts.front().parts;
        for (const Connection& connection : connections_) width = std::max(width, connection.width);
        for (const Put& put : found_.puts) parts = std::min(parts, put.parts);
        const std::uint64_t lines = shape_.step_bytes / line_bytes / width;
        if (lines == 0)
            refuse(fmt::format("a slot of {} bytes is too small for a line of each of the {} chunks of one signal",
                       shape_.step_bytes, width),
                fmt::format("engine.step_bytes of {} at least", width * line_bytes));
        const std::uint64_t per_part = layout_.cell_lines(parts);
        const std::uint64_t rounds = std::max<std::uint64_t>(1, (per_part + lines - 1) / lines);
        for (const Put& put : found_.puts)
            if (rounds > most_slots / put.parts)
                refuse(fmt::format("{} goes to slots in more than {} parts", describe(from_, put.at), most_slots),
                    "a larger engine.step_bytes or fewer channels");
        rounds_ = static_cast<std::uint32_t>(rounds);
    }

    // Cells and semaphores. The semaphore that told of the data stays where it did nothing else.
    void hand_out()
    {
        std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> uses;
        for (const Connection& connection : connections_) ++uses[{connection.to, connection.of}];
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t) {
            const StepAt owner = numbering_.owner(t);
            const std::vector<Step>& steps = from_.ranks[owner.rank].threads[owner.thread].steps;
            for (std::size_t s = 0; s < steps.size(); ++s)
                if (steps[s].kind == StepKind::signal && !marks_[t][s].connection)
                    ++uses[{steps[s].peer, steps[s].semaphore}];
        }
        for (Connection& connection : connections_) {
            RankPlan& receiver = to_.ranks[connection.to];
            connection.first_cell = receiver.staging_chunks;
            receiver.staging_chunks += connection.width * std::min(shape_.steps, total(connection));
            connection.data = uses[{connection.to, connection.of}] == 1 ? connection.of : receiver.semaphores++;
            if (total(connection) > shape_.steps) connection.credits = to_.ranks[connection.from].semaphores++;
        }
    }

    std::uint32_t total(const Connection& connection) const
    {
        return static_cast<std::uint32_t>(connection.messages.size()) * rounds_;
    }
    std::uint32_t number(std::size_t connection, std::uint32_t message, std::uint32_t round) const
    {
        return static_cast<std::uint32_t>(connections_[connection].messages.size()) * round + message;
    }

    // Who reads the slots of a connection, and when they are free: in the order in which they were filled.
    void place(Connection& connection)
    {
        std::uint32_t free = 0;
        const std::size_t self = static_cast<std::size_t>(&connection - connections_.data());
        for (std::uint32_t m = 0; m < connection.messages.size(); ++m) {
            const Message& message = found_.messages[connection.messages[m]];
            free = std::max(free, message.wait.step);
            for (const std::size_t put : message.puts)
                free = std::max(free, place(found_.puts[put], put, message.wait));
            mark({message.wait.rank, message.wait.thread, free}).released.push_back({self, m});
        }
    }

    // The last step that reads the put's cell.
    std::uint32_t place(const Put& put, std::size_t number, StepAt wait)
    {
        mark(put.at).puts.push_back({put.destination, number});
        const bool beside = std::all_of(put.readers.begin(), put.readers.end(), [&](const Put::Reader& reader) {
            return reader.at.rank == wait.rank && reader.at.thread == wait.thread && reader.at.step > wait.step;
        });
        const bool direct = beside && !put.in_memory;
        const bool needed = put.stays && !is_slot(put.where.buffer);
        std::uint32_t last = wait.step;
        bool kept = false;
        for (const Put::Reader& reader : put.readers) {
            if (!direct) break;
            mark(reader.at).reads.push_back({reader.source, number});
            last = std::max(last, reader.at.step);
            if (!needed || kept || step_at(from_, reader.at).sources.size() > 1) continue;
            mark(reader.at).kept.push_back(put.where);
            kept = true;
        }
        if ((needed && !kept) || put.in_memory || (!direct && !put.readers.empty()))
            mark(wait).copies.push_back(number);
        return last;
    }

    Step part_of(const Step& step, std::uint32_t round) const
    {
        Step part = step;
        if (!is_data(step.kind)) return part;
        part.part = step.part * rounds_ + round;
        part.parts = step.parts * rounds_;
        return part;
    }

    // Bytes of a chunk that a step handles.
    ByteRange share(const Step& step) const
    {
        const std::vector<ChunkShare> shares = layout_.shares(step);
        return shares.empty() ? ByteRange{} : ByteRange{shares.front().begin, shares.front().end};
    }

    // A cell begins with what was put there: who reads it must begin there too.
    void check_cuts() const
    {
        const auto check = [this](StepAt reader, const Step& read, std::size_t number) {
            const Put& put = found_.puts[number];
            for (std::uint32_t round = 0; round < rounds_; ++round) {
                const ByteRange there = share(part_of(step_at(from_, put.at), round));
                const ByteRange wanted = share(part_of(read, round));
                if (wanted.size() > 0 && (wanted.begin != there.begin || wanted.end > there.end))
                    refuse(fmt::format("{} reads other bytes of a chunk than {} puts", describe(from_, reader),
                               describe(from_, put.at)),
                        "the same part of the same chunks on both sides");
            }
        };
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t)
            for (std::uint32_t s = 0; s < marks_[t].size(); ++s) {
                StepAt at = numbering_.owner(t);
                at.step = s;
                for (const auto& [source, put] : marks_[t][s].reads) check(at, step_at(from_, at), put);
                for (const std::size_t put : marks_[t][s].copies) check(at, copy_of(put, 0), put);
            }
    }

    ChunkRef cell(std::size_t put, std::uint32_t round) const
    {
        const Cell& cell = cells_[put];
        const Connection& connection = connections_[cell.connection];
        const std::uint32_t slot = number(cell.connection, cell.message, round) % shape_.steps;
        return {connection.to, Buffer::staging, connection.first_cell + slot * connection.width + cell.cell, 1};
    }

    void write_out(std::uint32_t rank)
    {
        RankPlan& plan = to_.ranks[rank];
        // Where the steps of a round ended: dependencies name them.
        std::vector<std::vector<std::vector<std::uint32_t>>> until(plan.threads.size());
        for (std::uint32_t t = 0; t < plan.threads.size(); ++t) {
            plan.threads[t].steps.clear();
            until[t].resize(rounds_);
            for (std::uint32_t round = 0; round < rounds_; ++round) write_round({rank, t, 0}, round, until[t][round]);
        }
        std::uint32_t scratch = 0;
        for (Thread& thread : plan.threads)
            for (Step& step : thread.steps)
                for (const std::vector<ChunkRef>* side : {&step.sources, &step.destinations})
                    for (const ChunkRef& ref : *side)
                        if (ref.buffer == Buffer::scratch && ref.rank == rank)
                            scratch = std::max(scratch, ref.index + 1);
        plan.scratch_chunks = scratch;
        for (std::uint32_t t = 0; t < plan.threads.size(); ++t)
            for (std::uint32_t round = 0, s = 0; round < rounds_ && !until[t][round].empty(); ++round)
                for (; s <= until[t][round].back(); ++s)
                    for (StepId& id : plan.threads[t].steps[s].after) id.step = until[id.thread][round][id.step];
    }

    void write_round(StepAt at, std::uint32_t round, std::vector<std::uint32_t>& until)
    {
        const std::vector<Step>& from = from_.ranks[at.rank].threads[at.thread].steps;
        std::vector<Step>& to = to_.ranks[at.rank].threads[at.thread].steps;
        const std::vector<Mark>& marks = marks_[numbering_.thread(at.rank, at.thread)];
        std::vector<Step> released;  // behind the signals that follow
        for (std::uint32_t s = 0; s < from.size(); ++s) {
            if (from[s].kind != StepKind::signal && !from[s].with_previous) append(to, released);
            if (is_data(from[s].kind) && !from[s].with_previous) take_slots(from, marks, s, round, to);
            Step step = part_of(from[s], round);
            if (is_data(step.kind)) step.like = size_of_move(step);
            const Mark& mark = marks[s];
            if (mark.connection) step.semaphore = connections_[*mark.connection].data;
            for (const auto& [destination, put] : mark.puts) step.destinations[destination] = cell(put, round);
            for (const auto& [source, put] : mark.reads) step.sources[source] = cell(put, round);
            step.destinations.insert(step.destinations.end(), mark.kept.begin(), mark.kept.end());
            to.push_back(std::move(step));
            for (std::size_t i = 0; i < mark.copies.size(); ++i) {
                to.push_back(part_of(copy_of(mark.copies[i], round), round));
                to.back().with_previous = i > 0;
            }
            until.push_back(static_cast<std::uint32_t>(to.size() - 1));
            for (const auto& [number_of, message] : mark.released) {
                const Connection& connection = connections_[number_of];
                if (number(number_of, message, round) + shape_.steps < total(connection))
                    released.push_back(signal_step(connection.from, connection.credits));
            }
        }
        append(to, released);
    }

    static void append(std::vector<Step>& to, std::vector<Step>& steps)
    {
        to.insert(to.end(), steps.begin(), steps.end());
        steps.clear();
    }

    // Waits for the slots that a run of data steps is the first to store to.
    void take_slots(const std::vector<Step>& from, const std::vector<Mark>& marks, std::uint32_t s, std::uint32_t round,
        std::vector<Step>& to) const
    {
        const std::uint32_t begin = s;
        for (; s < from.size() && (s == begin || from[s].with_previous); ++s)
            for (const auto& [destination, put] : marks[s].puts) {
                const Cell& cell = cells_[put];
                const Connection& connection = connections_[cell.connection];
                if (cell.cell == 0 && number(cell.connection, cell.message, round) >= shape_.steps)
                    to.push_back(wait_step(connection.to, connection.credits));
            }
    }

    Step copy_of(std::size_t number, std::uint32_t round) const
    {
        const Put& put = found_.puts[number];
        Step copy = move_step({cell(number, round)}, {put.where});
        copy.like = size_of_move(step_at(from_, put.at));
        copy.part = put.part;
        copy.parts = put.parts;
        return copy;
    }

    const Schedule from_;
    const Numbering numbering_;
    const Puts found_;
    const Layout layout_;
    const StagingShape shape_;
    Schedule to_;
    std::vector<std::vector<Mark>> marks_;  // by thread and step
    std::vector<Connection> connections_;
    std::vector<Cell> cells_;  // by put
    std::uint32_t rounds_ = 1;
};

}  // namespace

Schedule in_fifos(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes, const StagingShape& shape)
{
    return StagedSchedule(schedule, bytes, element_bytes, shape).make();
}

}  // namespace weft
