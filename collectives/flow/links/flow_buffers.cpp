#include "collectives/flow/links/flow_buffers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace weft {

namespace {

constexpr std::uint64_t most_circles =
    64;  // beyond, no part waits for room: what is left would be one circle after the other
constexpr double bytes_of_answer_credit = 64;        // of the line that the response belongs to
constexpr double least_on_route = 64;                // a line takes one route
constexpr double golden_ratio = 0.6180339887498949;  // multiples of it spread evenly over [0, 1)

// A set of virtual channels has three: for stores, for responses, and for requests of loads.
constexpr std::uint32_t channels_of_set = 3;
std::uint32_t channel_of(std::uint32_t set, const FlowFlight& flight)
{
    return channels_of_set * set + (flight.asks ? 2 : flight.loaded || flight.acknowledges ? 1 : 0);
}

}  // namespace

// All links of a stage: visit(group, share, virtual channel set).
template <class Visit>
void FlowBuffers::for_links(std::uint32_t stage, const Visit& visit) const
{
    const FlowStage of = book_.stage(stage);
    if (of.count == 1) return for_parts(of.first, of.share, of.set, visit);
    for (std::uint32_t i = 0; i < of.count; ++i) {
        const GroupShare share = book_.share(of.first + i);
        for_parts(share.group, share.share, share.set, visit);
    }
}

template <class Visit>
void FlowBuffers::for_parts(std::uint32_t group, double share, std::uint32_t set, const Visit& visit) const
{
    if (!book_.group(group).split) return visit(group, share, set);
    for (const std::uint32_t part : book_.parts(group)) for_parts(part, share, set, visit);
}

std::uint32_t FlowBuffers::output_of(std::uint32_t group)
{
    if (output_of_.size() <= group) output_of_.resize(book_.groups(), undecided);
    if (output_of_[group] == undecided) output_of_[group] = make_output(group);
    return output_of_[group];
}

std::uint32_t FlowBuffers::make_output(std::uint32_t group)
{
    const CostLink& link = book_.figures(book_.group(group));
    if (link.buffer <= 0) return none;
    Output made;
    made.group = group;
    made.links = book_.size(group);
    made.packet = link.ps_per_byte > 0 ? made.links * link.packet_time_ps / link.ps_per_byte : 0;
    made.waits = links_.waits_for_acknowledges(link);
    made.credit_ps = static_cast<Ps>(link.answer_round_ps / 2);
    made.passing_ps = static_cast<Ps>(link.answer_round_ps + link.answer_dwell_ps);
    made.from = {none};
    outputs_.push_back(std::move(made));
    return static_cast<std::uint32_t>(outputs_.size() - 1);
}

FlowBuffers::Channel& FlowBuffers::channel(Output& output, std::uint32_t number)
{
    const CostLink& link = book_.figures(book_.group(output.group));
    while (output.channels.size() <= number) {
        Channel made;
        const bool responses = output.channels.size() % channels_of_set == 1;
        made.capacity = made.room =
            output.links * (responses ? link.answer_credits * bytes_of_answer_credit : link.buffer);
        made.inputs.resize(output.from.size());
        output.channels.push_back(std::move(made));
    }
    return output.channels[number];
}

std::uint32_t FlowBuffers::input_of(Output& output, std::uint32_t from)
{
    const auto known = std::find(output.from.begin(), output.from.end(), from);
    const auto number = static_cast<std::uint32_t>(known - output.from.begin());
    if (known != output.from.end()) return number;
    output.from.push_back(from);
    for (Channel& channel : output.channels) channel.inputs.emplace_back();
    return number;
}

bool FlowBuffers::takes(const FlowFlight& flight)
{
    if (flight.bytes <= 0 || flight.passed > 0) return false;
    const bool loads = flight.asks || flight.asked;
    bool out = true;
    for (std::uint32_t s = 0; s < flight.stages && out; ++s)
        for_links(flight.stage + s, [&](std::uint32_t group, double, std::uint32_t) {
            if (!loads && !book_.group(group).through) {
                out = false;
                return;
            }
            const std::uint32_t at = output_of(group);
            out = out && at != none && (loads || !outputs_[at].waits);
        });
    return out;
}

std::uint32_t FlowBuffers::new_piece(const Piece& piece)
{
    if (free_pieces_.empty()) {
        pieces_.push_back(piece);
        return static_cast<std::uint32_t>(pieces_.size() - 1);
    }
    const std::uint32_t number = free_pieces_.back();
    free_pieces_.pop_back();
    pieces_[number] = piece;
    return number;
}

void FlowBuffers::enter(std::uint32_t transfer, const FlowFlight& flight, Ps now)
{
    std::uint32_t number = 0;
    if (free_parts_.empty()) {
        number = static_cast<std::uint32_t>(parts_.size());
        parts_.emplace_back();
    } else {
        number = free_parts_.back();
        free_parts_.pop_back();
    }
    parts_[number] = {transfer, 1, flight};
    parts_[number].flight.buffered = true;
    Piece piece;
    piece.part = number;
    piece.stage = flight.stage;
    go_on(new_piece(piece), now);
}

FlowBuffers::Ways& FlowBuffers::ways_from(const Piece& piece)
{
    const std::uint32_t from = piece.held.output == none ? none : piece.group;
    const std::uint64_t key = std::uint64_t{piece.stage} << 32 | from;
    std::uint32_t number = ways_of_.find(key);
    if (number == FlatMap::none) {
        number = static_cast<std::uint32_t>(ways_.size());
        ways_of_.insert(key, number);
        ways_.emplace_back();
    }
    Ways& ways = ways_[number];
    if (ways.groups != book_.groups()) find_ways(piece.stage, from, ways);  // some may have been split
    return ways;
}

// All links of the stage that begin where links of `from` end, in proportion: what comes to a node leaves it.
void FlowBuffers::find_ways(std::uint32_t stage, std::uint32_t from, Ways& ways) const
{
    ways.groups = book_.groups();
    ways.sum = 0;
    ways.branches.clear();
    std::map<std::int32_t, double> in;   // by node: links that lead there
    std::map<std::int32_t, double> out;  // by node: shares that leave it
    bool known = from != none;
    if (known)
        for_parts(from, 1, 0, [&](std::uint32_t group, double, std::uint32_t) {
            book_.for_links(group, [&](std::uint32_t, const CostLink& link) { ++in[link.to]; });
        });
    const auto of_known = [&](const Branch& branch, const auto& visit) {
        book_.for_links(branch.group, [&](std::uint32_t, const CostLink& link) {
            if (in.count(link.from) > 0) visit(link.from);
        });
    };
    for_links(stage, [&](std::uint32_t group, double share, std::uint32_t set) {
        ways.branches.push_back({group, set, share});
        book_.for_links(group, [&](std::uint32_t, const CostLink& link) { known = known && link.from >= 0; });
        if (known) of_known(ways.branches.back(), [&](std::int32_t node) { out[node] += share; });
    });
    known = known && out.size() == in.size();  // every node leads on
    for (Branch& branch : ways.branches) {
        const double share = branch.share;
        if (!known) {
            branch.share *= book_.size(branch.group);
        } else {
            branch.share = 0;
            of_known(branch,
                [&](std::int32_t node) { branch.share += in.size() == 1 ? share : share * in[node] / out[node]; });
        }
        ways.sum += branch.share;
    }
    if (known)
        ways.branches.erase(std::remove_if(ways.branches.begin(), ways.branches.end(),
                                [](const Branch& branch) { return branch.share <= 0; }),
            ways.branches.end());
}

// By all links of its stage that begin where it is, in proportion.
void FlowBuffers::go_on(std::uint32_t number, Ps now)
{
    const Piece piece = pieces_[number];
    const FlowStage stage = book_.stage(piece.stage);
    if (stage.count == 1 && !book_.group(stage.first).split)
        return start(number, {stage.first, stage.set, piece.share}, now);
    Ways& ways = ways_from(piece);
    const std::size_t count = ways.branches.size();
    if (count == 1) return start(number, {ways.branches[0].group, ways.branches[0].set, piece.share}, now);
    // A part of a load is a few lines, which take one of the routes, and so does what is less than a line for each route.
    if (of_load(number) || bytes_of(piece) < least_on_route * static_cast<double>(count)) {
        double place = std::fmod(++ways.turns * golden_ratio, 1.0) * ways.sum;
        std::size_t chosen = 0;
        while (chosen + 1 < count && place >= ways.branches[chosen].share) place -= ways.branches[chosen++].share;
        return start(number, {ways.branches[chosen].group, ways.branches[chosen].set, piece.share}, now);
    }
    parts_[piece.part].pieces += static_cast<std::uint32_t>(count) - 1;
    const std::vector<Branch> branches = ways.branches;  // others may come to know further ones
    const double sum = ways.sum;
    for (std::size_t i = 0; i < count; ++i) {
        const Branch branch{branches[i].group, branches[i].set, branches[i].share * (piece.share / sum)};
        std::uint32_t made = number;
        if (i + 1 < count) made = new_piece(piece);
        Hold& held = pieces_[made].held;
        held.bytes *= branch.share / piece.share;
        pieces_[made].share = branch.share;
        start(made, branch, now);
    }
}

// A card starts one message after the other.
void FlowBuffers::start(std::uint32_t number, const Branch& branch, Ps now)
{
    Piece& piece = pieces_[number];
    const FlowFlight& flight = parts_[piece.part].flight;
    const Ps begin =
        piece.started ? now : links_.start_messages(branch.group, branch.share / book_.size(branch.group), flight, now);
    links_.end_starts();
    if (begin <= now) return take_link(number, branch, now);
    piece.started = true;
    events_.push_back({begin, number, true});
}

void FlowBuffers::take_link(std::uint32_t number, const Branch& branch, Ps now)
{
    Piece& piece = pieces_[number];
    piece.group = branch.group;
    piece.next = none;
    const std::uint32_t at = output_of(branch.group);
    Output& output = outputs_[at];
    const std::uint32_t input = input_of(output, piece.held.output);
    Queue& queue = channel(output, channel_of(branch.set, parts_[piece.part].flight)).inputs[input];
    (queue.first == none ? queue.first : pieces_[queue.last].next) = number;
    queue.last = number;
    ++output.queued;
    output.sharers += shares_wire(number) ? 1 : 0;
    ++waiting_;
    serve(at, now);
}

// Whether the next piece of the queue that was served last shares the packet of the one before: a packet is not interrupted. Of
// acknowledges one has as many as of lines.
bool FlowBuffers::continues(const Output& output) const
{
    if (output.last_path == none || output.last_channel >= output.channels.size()) return false;
    const Channel& of = output.channels[output.last_channel];
    const std::uint32_t piece = of.inputs[of.last_input].first;
    if (piece == none || !shares_wire(piece)) return false;
    const double bytes = bytes_of(pieces_[piece]);
    return parts_[pieces_[piece].part].flight.path == output.last_path && output.filled + bytes <= output.packet &&
        of.room >= bytes;
}

// The next channel in turn, and in it the next input in turn, whose first piece has room.
bool FlowBuffers::pick(const Output& output, bool sharers_only, std::uint32_t& channel, std::uint32_t& input) const
{
    const auto channels = static_cast<std::uint32_t>(output.channels.size());
    for (std::uint32_t c = 1; c <= channels; ++c) {
        channel = (output.last_channel + c) % channels;
        const Channel& of = output.channels[channel];
        const auto inputs = static_cast<std::uint32_t>(of.inputs.size());
        for (std::uint32_t i = 1; i <= inputs; ++i) {
            input = (of.last_input + i) % inputs;
            if (of.inputs[input].first == none) continue;
            if (sharers_only && !shares_wire(of.inputs[input].first)) continue;
            // Single lines find room where whole parts block each other, so loads no longer wait after the first circle.
            const std::uint64_t most = of_load(of.inputs[input].first) ? 0 : most_circles;
            if (circles_ > most || of.room >= std::min(bytes_of(pieces_[of.inputs[input].first]), of.capacity))
                return true;
            break;  // the room that comes back is for the next in turn
        }
    }
    return false;
}

void FlowBuffers::serve(std::uint32_t number, Ps now)
{
    if (outputs_[number].armed <= now) outputs_[number].armed = ~Ps{0};
    while (outputs_[number].queued > 0) {
        Output& output = outputs_[number];
        collect(output, now);
        const bool more = continues(output);
        if (more && output.answered > now) return arm(number, output.answered);
        // Others that have booked the wire do not wait here: loads and acknowledges take turns with them.
        const Ps free = book_.group(output.group).free_ps;
        const bool booked = free > now;
        if (!more || output.answered != now) {
            if (booked && (output.sharers == 0 || output.turn > now))
                return arm(number, output.sharers == 0 ? free : std::min(free, output.turn));
            if (!booked && output.turn > now && book_.group(output.group).queued) return arm(number, output.turn);
        }
        std::uint32_t channel = output.last_channel;
        std::uint32_t input = 0;
        if (more) {
            input = output.channels[channel].last_input;
        } else if (!pick(output, booked, channel, input)) {
            if (booked) arm(number, free);
            return arm_for_credits(number, now);
        }
        begin(number, channel, input, now);
    }
}

void FlowBuffers::begin(std::uint32_t number, std::uint32_t at, std::uint32_t input, Ps now)
{
    Output& output = outputs_[number];
    Channel& channel = output.channels[at];
    Queue& queue = channel.inputs[input];
    const std::uint32_t piece = queue.first;
    const double bytes = bytes_of(pieces_[piece]);
    queue.first = pieces_[piece].next;
    const std::uint32_t path = parts_[pieces_[piece].part].flight.path;
    const bool same = output.last_channel == at && channel.last_input == input && output.last_path == path &&
        output.filled + bytes <= output.packet;
    output.filled = same ? output.filled + bytes : bytes;
    output.last_path = path;
    output.last_channel = at;
    channel.last_input = input;
    channel.room -= bytes;
    --output.queued;
    --waiting_;
    LinkGroup& wire = book_.group(output.group);
    const bool shares = shares_wire(piece);
    const bool acknowledges = parts_[pieces_[piece].part].flight.acknowledges;
    const Ps booked = shares ? std::max(wire.free_ps, now) : now;
    if (shares) {
        --output.sharers;
        wire.free_ps = std::min(wire.free_ps, now);
    }
    links_.begin_on(output.group, pieces_[piece].share / output.links, parts_[pieces_[piece].part].flight,
        pieces_[piece].stage, now);
    LinkGroup& passed = book_.group(output.group);
    const Ps passing = passed.free_ps - now;
    const bool taken = booked > now || passed.queued;
    if (shares || passed.queued) outputs_[number].turn = now + passing * (taken ? 2 : 1);
    // After a packet of acknowledges the others have the time of one, and a store is not interrupted.
    if (acknowledges) outputs_[number].answered = now + passing;
    if (acknowledges && taken)
        outputs_[number].turn = now + passing + static_cast<Ps>(book_.figures(passed).packet_time_ps);
    if (!shares) outputs_[number].turn = std::max(outputs_[number].turn, now + passing);
    if (shares) passed.free_ps = booked + passing;
    pass_link(piece, {number, at, bytes}, now);
}

// It begins to pass the link, where it has taken that room.
void FlowBuffers::pass_link(std::uint32_t number, const Hold& taken, Ps now)
{
    Piece& piece = pieces_[number];
    Part& part = parts_[piece.part];
    if (piece.held.output != none) give_back(piece.held, now + outputs_[piece.held.output].credit_ps, false);
    piece.held = taken;
    piece.started = false;
    const FlowPath& path = book_.path(part.flight.path);
    if (++piece.stage < path.first + path.stages) {
        events_.push_back({now + book_.stage(piece.stage).before_ps, number, true});
        return;
    }
    if (taken.output != none) give_back(taken, now + outputs_[taken.output].passing_ps, true);
    free_pieces_.push_back(number);
    if (--part.pieces > 0) return;
    part.flight.head_ps = now;
    passed_.push_back({part.transfer, part.flight});
    free_parts_.push_back(piece.part);
}

void FlowBuffers::give_back(const Hold& hold, Ps time, bool at_end)
{
    Output& output = outputs_[hold.output];
    output.channels[hold.channel].returns[at_end ? 1 : 0].push_back({time, hold.bytes});
    if (output.queued > 0) arm(hold.output, std::max(time, book_.group(output.group).free_ps));
}

void FlowBuffers::collect(Output& output, Ps now)
{
    for (Channel& channel : output.channels)
        for (std::deque<Return>& returns : channel.returns)
            while (!returns.empty() && returns.front().time <= now) {
                channel.room += returns.front().bytes;
                returns.pop_front();
            }
}

void FlowBuffers::arm(std::uint32_t number, Ps time)
{
    Output& output = outputs_[number];
    if (output.armed <= time) return;
    output.armed = time;
    events_.push_back({time, number, false});
}

void FlowBuffers::arm_for_credits(std::uint32_t number, Ps now)
{
    Ps next = ~Ps{0};
    for (const Channel& channel : outputs_[number].channels)
        for (const std::deque<Return>& returns : channel.returns)
            if (!returns.empty()) next = std::min(next, returns.front().time);
    if (next != ~Ps{0}) arm(number, std::max(next, now));
}

void FlowBuffers::break_circle(Ps now)
{
    ++circles_;
    for (std::uint32_t number = 0; number < outputs_.size(); ++number)
        if (outputs_[number].queued > 0) pass_one(number, now);
}

// One piece goes on without room.
void FlowBuffers::pass_one(std::uint32_t number, Ps now)
{
    const Output& output = outputs_[number];
    for (std::uint32_t at = 0; at < output.channels.size(); ++at)
        for (std::uint32_t input = 0; input < output.channels[at].inputs.size(); ++input)
            if (output.channels[at].inputs[input].first != none) {
                begin(number, at, input, std::max(now, book_.group(output.group).free_ps));
                return serve(number, now);
            }
}

}  // namespace weft
