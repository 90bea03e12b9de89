#include "platform/applications/flow/line_border.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace weft {

namespace {

template <class T>
std::uint32_t place_for(std::vector<T>& all, std::vector<std::uint32_t>& free)
{
    if (free.empty()) {
        all.emplace_back();
        return static_cast<std::uint32_t>(all.size() - 1);
    }
    const std::uint32_t number = free.back();
    free.pop_back();
    return number;
}

}  // namespace

LineBorder::LineBorder(EventQueue& event_queue, LinePool& pool, Progress& progress, FlowCore& core, BorderPaths& paths,
    const RoutingSpec& routing)
    : TimedComponent(event_queue, "~border"), pool_(pool), progress_(progress), core_(core), paths_(paths),
      routing_(routing)
{
}

FabricModules::End LineBorder::end(EdgeId edge, NodeId outer, NodeId inner, std::uint32_t packet_lines, unsigned inputs,
    std::string link)
{
    const unsigned number = paths_.add_port({edge, outer, inner});
    auto port = std::make_unique<Port>(("flow_border_" + std::to_string(number)).c_str(), *this, number, inputs);
    port->packet_lines = packet_lines;
    port->link = std::move(link);
    FabricModules::End out = FabricModules::End::of(port->out, port->in, port->output);
    out.set_credits = [at = port.get()](const BufferSpace& space) { at->output.set_credits(space); };
    ports_.push_back(std::move(port));
    return out;
}

void LineBorder::join(LineExecutor& lines, BorderJobs& jobs)
{
    executor_ = &lines;
    jobs_ = &jobs;
}

void LineBorder::finish()
{
    wake_core();
    const bool busy = open_ > 0 || !core_.idle();
    if (busy == busy_) return;
    busy_ = busy;
    busy ? progress_.busy() : progress_.quiet(event_queue().now());
}

// Wakes are only added before the first one, so they come off the list from its end.
void LineBorder::wake_core()
{
    const Time next = core_.next_time();
    if (next == ~Time{0} || (!due_.empty() && due_.back() <= next)) return;
    if (wakes_.size() == due_.size()) wakes_.push_back(std::make_unique<ScheduledItem>());
    ScheduledItem& item = *wakes_[due_.size()];
    item.kind = wake_kind;
    due_.push_back(next);
    event_queue().schedule(item, *this, next, wake_input);
}

void LineBorder::run(ScheduledItem& item)
{
    const Time now = event_queue().now();
    progress_.changed();
    begin(now);
    if (item.kind >= OutputPort::wake_kind) {
        request_arbitration();
        return;
    }
    switch (item.kind) {
    case wake_kind:
        due_.pop_back();
        executor_->guarded([this, now] { core_.run(now); });
        break;
    case stream_kind:
        send(static_cast<Stream&>(item));
        request_arbitration();
        break;
    case answer_kind: {
        Line& line = Line::of(item);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        Port& port = *ports_[item.input];
        const BorderPaths::Way& way = paths_.in(item.input, line.destination);
        port.output.enqueue(line, LineClass::response, port.input_of(way.answers, line.path_hash), vc_set_of(line.vc));
        request_arbitration();
        break;
    }
    case carry_kind: carry(Line::of(item), item.input); break;
    case again_kind: go_on(Line::of(item)); break;
    case return_kind: go_back(Line::of(item)); break;
    default: came_back(Line::of(item)); break;
    }
    finish();
}

void LineBorder::arbitrate()
{
    for (const auto& port : ports_) port->output.serve(event_queue().now());
}

Time LineBorder::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = carry_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
    return 0;
}

void LineBorder::carry(Line& line, unsigned port)
{
    const LineOp op = line.op;
    if (op != LineOp::read && op != LineOp::write && op != LineOp::atomic) {
        executor_->guarded([op] {
            throw InputError("", 0,
                std::string("a ") + name_of(op) + " leaves the nodes at lines, which mixed fidelity has not",
                "reads, writes and signals only, or --fidelity line");
        });
        return;
    }
    const BorderPaths::Way& way = paths_.in(port, line.destination);
    const std::uint32_t token = place_for(carried_, free_carried_);
    carried_[token] = {&line, port, &way};
    ++lines_in_;
    ++open_;
    FlowCore::Line carried;
    carried.path = op == LineOp::atomic ? way.signals : way.there;
    carried.sender = line.source;
    carried.token = token;
    if (op == LineOp::write) {
        carried.bytes = line.size;
        carried.messages = (line.message_part & LineHeader::begins_message) != 0 ? 1 : 0;
        // How long a message will be is not known when it begins; the card that it comes from has told its packets.
        if ((line.message_part & LineHeader::in_message) != 0)
            carried.packets = (line.message_part & LineHeader::begins_packet) != 0 ? 1 : 0;
    } else if (op == LineOp::atomic) {
        carried.messages = 1;
    }
    core_.carry(carried, event_queue().now());
}

void LineBorder::left(std::uint32_t token, Ps at)
{
    const Carried& carried = carried_[token];
    ports_[carried.port]->in.return_request_credit(*carried.line, at - event_queue().now());
}

void LineBorder::arrived(std::uint32_t token, Ps at)
{
    const Carried carried = carried_[token];
    Line& line = *carried.line;
    if (!carried.way->exits.empty()) {  // to a rank at lines
        line.push_hop(carried.port, vc_set_of(line.vc));
        line.kind = again_kind;
        free_carried_.push_back(token);
        return event_queue().schedule(line, *this, at, carried.port);
    }
    if (line.op == LineOp::atomic) {
        if (const auto flag = jobs_->flag_at(line.address))
            core_.arrive_outside(flag->core, flag->rank, flag->semaphore, at);
        return answered(token, at + paths_.book().path(carried.way->there).answer_ps);
    }
    const bool data = line.op == LineOp::read;
    const Ps wait = jobs_->memory().wait({line.source, line.destination, line.address, line.size, !data}, at);
    core_.answer({carried.way->back, line.destination, line.size, 0, -1, token}, carried.way->there, data, at + wait);
}

void LineBorder::answered(std::uint32_t token, Ps at)
{
    const Carried carried = carried_[token];
    free_carried_.push_back(token);
    --open_;
    carried.line->kind = answer_kind;
    event_queue().schedule(*carried.line, *this, at, carried.port);
}

void LineBorder::on_request_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output.add_credit(line.vc, event_queue().now() + delay, line.lines());
}

void LineBorder::on_response_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output.add_credit(line.vc, event_queue().now() + delay, line.lines());
}

std::uint32_t LineBorder::path_out(std::uint32_t from, std::uint32_t to, bool signals)
{
    const BorderPaths::Way& way = paths_.out(from, to);
    return signals ? way.signals : way.there;
}

LineBorder::Stream& LineBorder::new_stream(LineOp op, std::uint32_t from, std::uint32_t to)
{
    const std::uint32_t number = place_for(streams_, free_streams_);
    if (!streams_[number]) streams_[number] = std::make_unique<Stream>();
    Stream& stream = *streams_[number];
    stream.op = op;
    stream.number = number;
    stream.next = stream.answered = stream.bytes = 0;
    stream.from = from;
    stream.to = to;
    stream.way = &paths_.out(from, to);
    stream.kind = stream_kind;
    ++open_;
    return stream;
}

void LineBorder::end_stream(Stream& stream)
{
    stream.lines.operand.reset();
    free_streams_.push_back(stream.number);
    --open_;
}

void LineBorder::start(Stream& stream, const Share& share, Ps first, Ps last)
{
    stream.ticket = share.ticket;
    stream.first = first;
    stream.last = last;
    event_queue().schedule(stream, *this, first, stream_input);
}

void LineBorder::store(const Share& share, Ps first, Ps last)
{
    const BorderJobs::Lines lines = jobs_->take(share, false);
    Stream& stream = new_stream(LineOp::write, jobs_->members(share.job)[share.rank], lines.operand->endpoint);
    stream.lines = lines;
    start(stream, share, first, last);
}

void LineBorder::load(const Share& share, Ps first, Ps last)
{
    const BorderJobs::Lines lines = jobs_->take(share, true);
    Stream& stream = new_stream(LineOp::read, jobs_->members(share.job)[share.rank], lines.operand->endpoint);
    stream.lines = lines;
    core_.loads(share.ticket, static_cast<std::uint32_t>(std::max<std::uint64_t>(1, stream.count())));
    start(stream, share, first, last);
}

void LineBorder::signal(const Signal& signal, Ps at)
{
    const std::vector<std::uint32_t>& members = jobs_->members(signal.job);
    Stream& stream = new_stream(LineOp::atomic, members[signal.from], members[signal.to]);
    stream.flag = jobs_->flag(signal.job, signal.to, signal.semaphore);
    stream.lines = {nullptr, 0, 1};
    stream.ticket = signal.ticket;
    stream.first = stream.last = at;
    event_queue().schedule(stream, *this, at, stream_input);
}

// A line that was carried from one port to another.
void LineBorder::go_on(Line& line)
{
    const Line::Hop hop = line.pop_hop();
    line.push_hop(hop.port, hop.vc_set);
    const BorderPaths::Way& way = paths_.in(hop.port, line.destination);
    const unsigned hash = line.path_hash;
    const BorderPaths::Way::Exit& exit = way.exits[exit_of(way, line)];
    Port& port = *ports_[exit.port];
    port.output.enqueue(line, LineClass::request, port.input_of(exit.inputs, hash), exit.vc_set);
    request_arbitration();
}

void LineBorder::go_back(Line& line)
{
    const Line::Hop hop = line.pop_hop();
    const BorderPaths::Way& way = paths_.in(hop.port, line.destination);
    const std::uint32_t token = place_for(carried_, free_carried_);
    carried_[token] = {&line, hop.port, &way};
    line.vc = vc_of(class_of(line.vc), hop.vc_set);
    core_.answer({way.back, line.destination, line.size, 0, -1, token}, way.there, line.op == LineOp::read,
        event_queue().now());
}

std::size_t LineBorder::exit_of(const BorderPaths::Way& way, Line& line) const
{
    if (way.even) return line.pick(static_cast<unsigned>(way.exits.size()));
    // Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4): 2^16 over the golden ratio spreads neighbours.
    constexpr std::uint32_t steps = 1U << 16U;
    constexpr std::uint32_t spread = 40503;
    const double place = static_cast<double>(line.path_hash * spread % steps) / steps;
    std::size_t exit = 0;
    while (exit + 1 < way.exits.size() && place >= way.exits[exit].until) ++exit;
    return exit;
}

// All lines that are due.
void LineBorder::send(Stream& stream)
{
    const Time now = event_queue().now();
    if (stream.count() == 0) {  // a share without a line
        if (stream.op == LineOp::read)
            core_.bring(stream.ticket, stream.way->back, stream.to, 0);
        else
            core_.stored(stream.ticket, stream.way->back, stream.to, 0);
        return end_stream(stream);
    }
    while (stream.next < stream.count()) {
        const Time due = stream.due(stream.next);
        if (due > now) return event_queue().schedule(stream, *this, due, stream_input);
        send_line(stream);
        ++stream.next;
    }
}

void LineBorder::send_line(Stream& stream)
{
    Line& line = pool_.take();
    std::uint64_t number = stream.next;
    std::uint8_t part = LineHeader::in_message | LineHeader::begins_packet | LineHeader::begins_message;
    if (stream.op == LineOp::atomic) {
        line.begin(LineOp::atomic, stream.flag, sizeof(std::uint64_t))
            .flag(LineHeader::control_flag)
            .source(stream.from)
            .tag(stream.number);
        line.set_operand(1);
    } else {
        number = stream.lines.begin + stream.next;
        const BorderJobs::Operand& operand = *stream.lines.operand;
        const BorderJobs::Range at = BorderJobs::line(operand, number);
        line.begin(stream.op, at.address, static_cast<std::uint32_t>(at.bytes))
            .source(stream.from)
            .tag(stream.number)
            .transfer(operand.transfer);
        stream.bytes = static_cast<std::uint32_t>(at.bytes);
    }
    line.issued = event_queue().now();
    // As a GPU issues it (gpu/network/path_chooser.h).
    const auto stripe = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, routing_.stripe / line_bytes));
    line.path_hash /= stripe;
    if (routing_.path_selection != PathSelection::lines)
        line.choose_path(routing_.path_selection, static_cast<std::uint32_t>(number) / stripe);
    const std::vector<BorderPaths::Way::Exit>& exits = stream.way->exits;
    // Behind a card a packet takes one path (tlm_interconnect/card/message_stage.h).
    const std::uint64_t packet = std::max(1U, ports_[exits.front().port]->packet_lines);
    const bool spreads =
        routing_.path_selection == PathSelection::lines || routing_.path_selection == PathSelection::round_robin;
    if (stream.op != LineOp::atomic) {
        part = LineHeader::in_message;
        if (number == 0) part |= LineHeader::begins_message;
        if (number % packet == 0) part |= LineHeader::begins_packet;
        if (stream.way->message && spreads)
            line.path_hash /= std::max<std::uint32_t>(1, static_cast<std::uint32_t>(packet) / stripe);
    }
    const unsigned hash = line.path_hash;
    const BorderPaths::Way::Exit& exit = exits[exit_of(*stream.way, line)];
    Port& port = *ports_[exit.port];
    if (stream.way->message && port.packet_lines > 0) line.message_part = part;
    port.output.enqueue(line, LineClass::request, port.input_of(exit.inputs, hash), exit.vc_set);
    ++lines_out_;
}

Time LineBorder::on_response(unsigned port, Line& line, Time delay)
{
    ports_[port]->out.return_response_credit(line, delay);
    line.kind = line.depth > 0 ? return_kind : back_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
    return 0;
}

void LineBorder::came_back(Line& line)
{
    Stream& stream = *streams_[line.tag];
    if (stream.op == LineOp::read) core_.bring(stream.ticket, stream.way->back, stream.to, line.size);
    pool_.give(line);
    if (++stream.answered < stream.count()) return;
    if (stream.op == LineOp::write) core_.stored(stream.ticket, stream.way->back, stream.to, stream.bytes);
    if (stream.op == LineOp::atomic) core_.signalled(stream.ticket);
    end_stream(stream);
}

std::vector<std::string> LineBorder::blocked() const
{
    std::vector<std::string> out;
    for (const auto& port : ports_) {
        const std::string text = port->output.describe();
        if (!text.empty()) out.push_back("border of flow at " + port->link + ": " + text);
    }
    return out;
}

}  // namespace weft
