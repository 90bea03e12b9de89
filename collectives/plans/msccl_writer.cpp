#include "collectives/plans/msccl_writer.h"

#include <algorithm>
#include <list>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "collectives/plans/msccl_program.h"
#include "collectives/plans/plan_limits.h"
#include "collectives/schedule/order.h"

namespace weft {

namespace {

const char* msccl_name(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::all_reduce: return "allreduce";
    case CollectiveOp::all_gather: return "allgather";
    case CollectiveOp::reduce_scatter: return "reduce_scatter";
    case CollectiveOp::all_to_all: return "alltoall";
    case CollectiveOp::broadcast: return "broadcast";
    case CollectiveOp::reduce: return "reduce";
    default: return "custom";
    }
}

[[noreturn]] void refuse(const Schedule& schedule, const std::string& what, const std::string& expected)
{
    throw InputError("", 0, "schedule '" + schedule.name + "': " + what, expected);
}

// How many chunks of the program stand for one of the schedule.
std::uint32_t pieces_of(const Schedule& schedule)
{
    std::uint64_t pieces = 1;
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            for (const Step& step : thread.steps) {
                if (in_switch(step.kind))
                    refuse(schedule, std::string(name_of(step.kind)) + " has no form in MSCCL XML",
                        "transfers between two ranks");
                if (is_data(step.kind)) pieces = std::lcm(pieces, std::uint64_t{step.parts});
                if (pieces * std::max(1u, schedule.chunks) > most_plan_chunks)
                    refuse(schedule, "more than 2^20 chunks and parts of chunks", "fewer channels or chunks");
            }
    return static_cast<std::uint32_t>(pieces);
}

// Chunks of the program.
struct Range {
    std::uint32_t rank = 0;
    Buffer buffer = Buffer::input;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

bool same(const Range& a, const Range& b)
{
    return a.rank == b.rank && a.buffer == b.buffer && a.first == b.first && a.count == b.count;
}

struct SentMessage {
    std::uint32_t connection = 0;
    Range landing;
};

class Writer {
public:
    explicit Writer(const Schedule& schedule)
        : schedule_(schedule), pieces_(pieces_of(schedule)), program_(schedule, pieces_), pending_(schedule.size())
    {
        for (const RankPlan& rank : schedule.ranks)
            scratch_.push_back((rank.scratch_chunks + rank.packet_chunks) * pieces_);
    }

    MscclAlgo write()
    {
        const Order order = legal_order(schedule_, Numbering(schedule_));
        if (!order.blocked.empty()) refuse(schedule_, "cannot be completed", "a schedule that verify() passes");
        find_single_uses(order);
        for (const StepAt at : order.steps)
            if (is_data(step_at(schedule_, at).kind)) step(at);
        for (const std::list<SentMessage>& messages : pending_)
            while (!messages.empty()) receive(messages.front());
        return algo();
    }

private:
    Range range(const Step& step, const ChunkRef& ref) const
    {
        const std::uint32_t share = pieces_ / step.parts * ref.count;
        Range out{ref.rank, ref.buffer, ref.index * pieces_ + step.part * share, share};
        if (ref.buffer == Buffer::packets) {  // slots behind those of scratch
            out.buffer = Buffer::scratch;
            out.first += schedule_.ranks[ref.rank].scratch_chunks * pieces_;
        }
        return out;
    }

    // Slots that are written once and read once need not be stored: their reader receives.
    void find_single_uses(const Order& order)
    {
        for (const StepAt at : order.steps) {
            const Step& step = step_at(schedule_, at);
            if (!is_data(step.kind)) continue;
            for (const ChunkRef& ref : step.sources) count(range(step, ref), reads_);
            for (const ChunkRef& ref : step.destinations) count(range(step, ref), writes_);
        }
    }

    using Uses = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;  // by rank and slot

    static void count(const Range& slots, Uses& uses)
    {
        for (std::uint32_t i = 0; slots.buffer == Buffer::scratch && i < slots.count; ++i)
            ++uses[{slots.rank, slots.first + i}];
    }

    bool used_once(const Range& slots) const
    {
        if (slots.buffer != Buffer::scratch) return false;
        for (std::uint32_t i = 0; i < slots.count; ++i) {
            const auto read = reads_.find({slots.rank, slots.first + i});
            if (read == reads_.end() || read->second != 1 || writes_.at({slots.rank, slots.first + i}) != 1)
                return false;
        }
        return true;
    }

    Range temporary(std::uint32_t rank, std::uint32_t count)
    {
        const Range out{rank, Buffer::scratch, scratch_[rank], count};
        scratch_[rank] += count;
        return out;
    }

    MscclOperation operation(MscclType type, const Range& source, const Range& destination) const
    {
        MscclOperation out;
        out.type = type;
        out.rank = rank_;
        out.thread = thread_;
        out.source_buffer = source.buffer;
        out.source = source.first;
        out.destination_buffer = destination.buffer;
        out.destination = destination.first;
        out.count = source.count;
        return out;
    }

    bool overlaps(const Range& a, const Range& b) const
    {
        if (a.rank != b.rank || schedule_.home(a.buffer) != schedule_.home(b.buffer)) return false;
        const std::uint32_t first = a.first + schedule_.in_place_offset(a.rank, a.buffer) * pieces_;
        const std::uint32_t other = b.first + schedule_.in_place_offset(b.rank, b.buffer) * pieces_;
        return first < other + b.count && other < first + a.count;
    }

    // Stores what has been sent to `message` and, on its connection, before it.
    void receive(const SentMessage& message)
    {
        const SentMessage wanted = message;
        for (bool last = false; !last;) {
            const SentMessage next = take_next(wanted);
            last = same(next.landing, wanted.landing);
            MscclOperation store = operation(MscclType::r, next.landing, next.landing);
            store.rank = next.landing.rank;
            store.recv = next.connection;
            program_.append(store);
        }
    }

    SentMessage take_next(const SentMessage& of)
    {
        std::list<SentMessage>& messages = pending_[of.landing.rank];
        const auto first = std::find_if(messages.begin(), messages.end(),
            [&of](const SentMessage& message) { return message.connection == of.connection; });
        const SentMessage out = *first;
        messages.erase(first);
        return out;
    }

    // Before a step of the own gpu touches a range: whatever is on its way there is stored.
    void settle(const Range& touched)
    {
        std::list<SentMessage>& messages = pending_[touched.rank];
        for (auto message = messages.begin(); message != messages.end();)
            if (overlaps(message->landing, touched)) {
                receive(*message);
                message = messages.begin();
            } else {
                ++message;
            }
    }

    // The message whose landing is exactly this range, the next of its connection once those before it are stored.
    bool arriving(const Range& wanted, SentMessage& out)
    {
        std::list<SentMessage>& messages = pending_[wanted.rank];
        const auto is_wanted = [&wanted](const SentMessage& message) { return same(message.landing, wanted); };
        const auto found = std::find_if(messages.begin(), messages.end(), is_wanted);
        if (found == messages.end()) return false;
        out = *found;
        while (true) {
            const auto first = std::find_if(messages.begin(), messages.end(),
                [&out](const SentMessage& message) { return message.connection == out.connection; });
            if (is_wanted(*first)) break;
            receive(*first);
        }
        messages.erase(std::find_if(messages.begin(), messages.end(), is_wanted));
        return true;
    }

    void step(StepAt at)
    {
        rank_ = at.rank;
        thread_ = at.thread;
        const Step& step = step_at(schedule_, at);
        std::vector<Range> here;
        std::vector<SentMessage> incoming;
        std::vector<Range> kept;  // what arrives in a place where others look for it too
        std::vector<Range> stores;
        std::vector<Range> sends;
        for (const ChunkRef& ref : step.destinations) (ref.rank == rank_ ? stores : sends).push_back(range(step, ref));
        // One term may be received by the step itself; what else is on its way is stored first.
        const ChunkRef* received = nullptr;
        for (const ChunkRef& ref : step.sources)
            if (ref.rank == rank_ && (used_once(range(step, ref)) || (step.sources.size() == 1 && stores.empty())))
                received = &ref;
        for (const ChunkRef& ref : step.sources)
            if (&ref != received) settle(range(step, ref));
        for (const Range& store : stores) settle(store);
        for (const ChunkRef& ref : step.sources) {
            const Range source = range(step, ref);
            SentMessage message;
            if (source.rank != rank_) {
                incoming.push_back(load(source));
            } else if (&ref == received && arriving(source, message)) {
                incoming.push_back(message);
                if (!used_once(source)) kept.push_back(source);
            } else {
                settle(source);
                here.push_back(source);
            }
        }
        stores.insert(stores.begin(), kept.begin(), kept.end());
        combine(here, incoming, stores, sends);
    }

    // What another rank sends because this one loads it.
    SentMessage load(const Range& source)
    {
        const std::uint64_t loads = std::uint64_t{1} << 63;  // apart from what threads send by themselves
        const SentMessage message{program_.connection(source.rank, rank_, loads | thread_),
            {rank_, Buffer::scratch, 0, source.count}};
        MscclOperation send = operation(MscclType::s, source, source);
        send.rank = source.rank;
        send.send = message.connection;
        program_.append(send);
        return message;
    }

    void combine(const std::vector<Range>& here, std::vector<SentMessage> incoming, std::vector<Range> stores,
        std::vector<Range> sends)
    {
        std::vector<Range> own = here;
        // The sum is formed where it is stored, or where a term of it lies; else in slots of its own.
        const bool sums = own.size() + incoming.size() > 1;
        Range total;
        if (!stores.empty()) {
            total = stores.front();
            const auto term =
                std::find_if(own.begin(), own.end(), [&](const Range& source) { return overlaps(source, total); });
            if (term != own.end()) std::iter_swap(own.begin(), term);
        } else if (!sums && !own.empty()) {
            total = own.front();
        } else {
            total = {rank_, Buffer::scratch, no_connection,
                own.empty() ? incoming.front().landing.count : own.front().count};
        }
        const bool passing = total.first == no_connection;
        bool begun = !own.empty();
        Range so_far = begun ? own.front() : Range{};
        const auto need_place = [&] {
            if (total.first == no_connection) total = temporary(rank_, total.count);
        };
        for (std::size_t i = 1; i < own.size(); ++i) {
            need_place();
            if (!overlaps(so_far, total)) program_.append(operation(MscclType::cpy, so_far, total));
            program_.append(operation(MscclType::re, own[i], total));
            so_far = total;
        }
        bool sent = false;
        for (std::size_t i = 0; i < incoming.size(); ++i) {
            const bool last = i + 1 == incoming.size();
            const bool nothing_stored = passing && last && begun && sends.size() == 1;
            if (last && !sends.empty()) {
                MscclOperation both =
                    operation(begun ? nothing_stored ? MscclType::rrs : MscclType::rrcs : MscclType::rcs,
                        begun ? so_far : total, total);
                both.recv = incoming[i].connection;
                both.send = outgoing(sends.front());
                both.count = total.count;
                if (program_.fits(both)) {
                    if (!nothing_stored) need_place();
                    both.destination = total.first;
                    if (nothing_stored) {
                        both.destination_buffer = both.source_buffer;
                        both.destination = both.source;
                    }
                    if (!begun) both.source = total.first;
                    program_.append(both);
                    pending_[sends.front().rank].push_back({both.send, sends.front()});
                    so_far = total;
                    begun = sent = true;
                    continue;
                }
            }
            need_place();
            MscclOperation store = operation(begun ? MscclType::rrc : MscclType::r, begun ? so_far : total, total);
            store.recv = incoming[i].connection;
            program_.append(store);
            so_far = total;
            begun = true;
        }
        if (sent) sends.erase(sends.begin());
        for (std::size_t i = 0; i < stores.size(); ++i)
            if (!same(stores[i], so_far) && !overlaps(stores[i], so_far))
                program_.append(operation(MscclType::cpy, so_far, stores[i]));
        for (const Range& to : sends) {
            MscclOperation send = operation(MscclType::s, so_far, to);
            send.send = outgoing(to);
            program_.append(send);
            pending_[to.rank].push_back({send.send, to});
        }
    }

    std::uint32_t outgoing(const Range& to)
    {
        // Earlier messages to a place that is written again must have been stored before.
        settle(to);
        return program_.connection(rank_, to.rank, thread_);
    }

    MscclAlgo algo()
    {
        MscclAlgo out;
        out.name = schedule_.name;
        out.collective = msccl_name(schedule_.op);
        out.op = schedule_.op;
        out.chunks = std::max(1u, schedule_.chunks * pieces_);
        out.ranks = schedule_.size();
        out.root = schedule_.root;
        out.in_place = schedule_.in_place;
        for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank) {
            MscclGpu gpu;
            gpu.id = rank;
            gpu.chunks[static_cast<unsigned>(Buffer::input)] = schedule_.ranks[rank].input_chunks * pieces_;
            gpu.chunks[static_cast<unsigned>(Buffer::output)] = schedule_.ranks[rank].output_chunks * pieces_;
            gpu.chunks[static_cast<unsigned>(Buffer::scratch)] = scratch_[rank];
            out.gpus.push_back(std::move(gpu));
        }
        program_.finish(out);
        return out;
    }

    const Schedule& schedule_;
    std::uint32_t pieces_;
    MscclProgram program_;
    std::vector<std::uint32_t> scratch_;  // chunks in use, by rank
    Uses reads_;
    Uses writes_;
    std::vector<std::list<SentMessage>> pending_;  // by receiver: sent and not received, in the order of sending
    std::uint32_t rank_ = 0;
    std::uint32_t thread_ = 0;
};

const char* letter(Buffer buffer) { return buffer == Buffer::input ? "i" : buffer == Buffer::output ? "o" : "s"; }

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c >= ' ' && c < 127 ? c : '?';
    }
    return out;
}

}  // namespace

std::string write_msccl_xml(const Schedule& schedule, const std::string& protocol)
{
    if (schedule.op == CollectiveOp::barrier)
        refuse(schedule, "a barrier has no form in MSCCL XML", "a collective that moves data");
    const MscclAlgo algo = Writer(schedule).write();
    const bool unnamed = algo.op == CollectiveOp::gather || algo.op == CollectiveOp::scatter;
    const std::string op = unnamed ? fmt::format(" op=\"{}\"", name_of(algo.op)) : "";
    std::string out =
        fmt::format("<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
                    "inplace=\"{}\"{}{}>\n",
            escaped(algo.name), protocol, algo.channels, algo.chunks, algo.ranks, algo.collective,
            algo.in_place ? 1 : 0, op, algo.root > 0 ? fmt::format(" root=\"{}\"", algo.root) : "");
    for (const MscclGpu& gpu : algo.gpus) {
        out += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", gpu.id, gpu.chunks[0],
            gpu.chunks[1], gpu.chunks[2]);
        for (const MscclBlock& block : gpu.blocks) {
            out += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", block.id, block.send,
                block.recv, block.channel);
            for (std::size_t s = 0; s < block.steps.size(); ++s) {
                const MscclStep& step = block.steps[s];
                out += fmt::format(
                    "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
                    "cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
                    s, name_of(step.type), letter(step.source_buffer), step.source, letter(step.destination_buffer),
                    step.destination, step.count, step.block, step.step, step.has_dependents ? 1 : 0);
            }
            out += "    </tb>\n";
        }
        out += "  </gpu>\n";
    }
    return out + "</algo>\n";
}

}  // namespace weft
