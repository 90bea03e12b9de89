#include "tlm_interconnect/traffic/traffic_endpoint.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

TrafficEndpoint::TrafficEndpoint(sc_core::sc_module_name name, EventQueue& event_queue, std::string path,
    LinePool& pool, std::uint32_t index, unsigned ports, RouteTable routes, const TrafficSpec& spec,
    const Pattern& pattern, Measurement& arrivals, Measurement& round_trips)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), pool_(pool), index_(index),
      routes_(std::move(routes)), route_vc_sets_(routes_.vc_sets()), spec_(spec), pattern_(pattern),
      arrivals_(arrivals), round_trips_(round_trips), random_(spec.seed, index),
      turns_(spec.path_selection == PathSelection::round_robin ? routes_.endpoints() : 0, 0)
{
    create_.kind = create_kind;
    for (unsigned p = 0; p < ports; ++p) {
        auto port = std::make_unique<Port>();
        port->out = std::make_unique<LineInitiatorSocket>(("out" + std::to_string(p)).c_str(), *this, p);
        port->in = std::make_unique<LineTargetSocket>(("in" + std::to_string(p)).c_str(), *this, p);
        port->output = std::make_unique<OutputPort>(event_queue, *this, *this, p, 1, *port->out, *port->in);
        ports_.push_back(std::move(port));
    }
}

void TrafficEndpoint::set_credits(unsigned port, const BufferSpace& space)
{
    ports_[port]->output->set_credits(space);
    if (all_vc_sets_) ports_[port]->vc_sets = std::max(1U, space.vc_sets() / route_vc_sets_);
}

void TrafficEndpoint::start_of_simulation()
{
    if (spec_.load > 0 && pattern_.sends(index_)) plan();
}

// Draws the slot of the next message and puts it on the event queue.
void TrafficEndpoint::plan()
{
    const double chance = std::min(1.0, spec_.load / spec_.message);
    if (spec_.burst <= 1) {
        slot_ += random_.trials(chance);
    } else if (burst_left_ > 0) {
        --burst_left_;
        slot_ += spec_.message;
    } else {
        // Silence so long that bursts of mean length `burst` make up the load; at full load there is none.
        const double busy = spec_.burst * spec_.message;
        const double silent = busy * (1 / std::min(1.0, spec_.load) - 1);
        slot_ += spec_.message + (silent > 0 ? random_.trials(1 / (silent + 1)) - 1 : 0);
        burst_left_ = random_.trials(1 / spec_.burst) - 1;
    }
    const Time at = spec_.slot_time(slot_ - 1);
    if (at < spec_.duration) event_queue().schedule(create_, *this, at, 4095);
}

void TrafficEndpoint::create(Time now)
{
    const std::uint32_t to = pattern_.destination(index_, messages_++, random_);
    const double dice = spec_.reads + spec_.atomics > 0 ? random_.uniform() : 1;
    const LineOp op = dice < spec_.reads     ? LineOp::read
        : dice < spec_.reads + spec_.atomics ? LineOp::atomic
                                             : LineOp::write;
    const std::uint64_t place = random_.below(TrafficSpec::region_lines - spec_.message);
    const std::uint32_t bytes = op == LineOp::atomic ? 8 : spec_.size;
    const RouteTable::Choice choice = routes_.ports_to(to);
    if ((to == index_ && !loop_back_) || choice.count == 0) return;
    for (std::uint32_t l = 0; l < spec_.message; ++l) {
        arrivals_.created(index_, now, bytes);
        if (op != LineOp::write || !spec_.posted) round_trips_.created(index_, now, bytes);
        ++created_;
        const std::uint64_t number = place + l;
        const std::uint64_t chosen_by = path_hash_of(to, number);
        const auto pick = static_cast<unsigned>(chosen_by % choice.count);
        Port& port = *ports_[choice.port(pick)];
        port.pending.push_back({now, global_address(to, number * line_bytes),
            static_cast<std::uint32_t>(choice.count > 1 ? chosen_by / choice.count : chosen_by),
            spec_.message > 1 ? static_cast<std::uint32_t>(messages_ % ~std::uint32_t{0}) + 1 : 0, op,
            static_cast<std::uint8_t>(choice.vc_set(pick))});
        peak_ = std::max<std::uint64_t>(peak_, port.pending.size());
    }
}

// What chooses among equal paths, for line `number` of the destination.
std::uint64_t TrafficEndpoint::path_hash_of(std::uint32_t to, std::uint64_t number)
{
    switch (spec_.path_selection) {
    case PathSelection::pairs: return pair_hash(index_, to);
    case PathSelection::none: return 0;
    case PathSelection::round_robin: return turns_[to]++ / spec_.stripe;
    case PathSelection::lines: break;
    }
    return number / spec_.stripe;
}

// Keeps a few lines at the port, so that it can choose among channels; the rest waits in a compact queue.
void TrafficEndpoint::feed(Port& port)
{
    while (!port.pending.empty() && port.in_port < 2 * port.vc_sets) {
        const Pending& next = port.pending.front();
        Line& line = pool_.take();
        line.begin(next.op, next.address, next.op == LineOp::atomic ? 8 : spec_.size)
            .source(index_)
            .transfer(next.transfer)
            .flag(next.op == LineOp::write && spec_.posted ? LineHeader::posted_flag : 0U);
        line.path_hash = next.path_hash;
        line.mark(LineHeader::awaited_mark);
        line.issued = next.created;
        port.output->enqueue(line, LineClass::request, 0, next.vc_set * port.vc_sets + port.turn);
        port.turn = port.turn + 1 == port.vc_sets ? 0 : port.turn + 1;
        port.pending.pop_front();
        ++port.in_port;
    }
}

Time TrafficEndpoint::on_request(unsigned port, Line& line, Time delay)
{
    const Time at = event_queue().now() + delay;
    if (line.destination != index_) {
        refuse("a request that is for another endpoint", line);
        return 0;
    }
    ++received_;
    arrivals_.add_latency(line.issued, at);
    ports_[port]->in->return_request_credit(line, delay);
    if ((line.flags & LineHeader::posted_flag) != 0) {
        arrivals_.add_delivered(line.source, at, line.size);
        pool_.give(line);
        return 0;
    }
    line.kind = answer_kind;
    event_queue().schedule(line, *this, at, port);
    return 0;
}

Time TrafficEndpoint::on_response(unsigned port, Line& line, Time delay)
{
    if (!line.marked(LineHeader::awaited_mark) || line.source != index_) {
        refuse("an answer that nobody here waits for, sent twice or to the wrong place", line);
        return 0;
    }
    line.unmark(LineHeader::awaited_mark);
    ++answers_;
    ports_[port]->out->return_response_credit(line, delay);
    const Time at = event_queue().now() + delay;
    arrivals_.add_delivered(index_, at, line.size);
    round_trips_.arrived(index_, line.issued, at, line.size);
    pool_.give(line);
    return 0;
}

void TrafficEndpoint::refuse(const char* what, const Line& line)
{
    event_queue().fail(fmt::format("{}: {}: {} of {} B from endpoint {} for endpoint {}", path(), what,
        name_of(line.op), std::uint32_t{line.size}, std::uint16_t{line.source}, std::uint16_t{line.destination}));
}

void TrafficEndpoint::on_request_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output->add_credit(line.vc, event_queue().now() + delay);
}

void TrafficEndpoint::on_response_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output->add_credit(line.vc, event_queue().now() + delay);
}

void TrafficEndpoint::on_sent(unsigned port, Line&, LineClass cls, unsigned)
{
    if (cls != LineClass::request) return;
    ++sent_;
    --ports_[port]->in_port;
}

void TrafficEndpoint::run(ScheduledItem& item)
{
    request_arbitration();
    if (item.kind == create_kind) {
        create(event_queue().now());
        plan();
    } else if (item.kind == answer_kind) {
        Line& line = Line::of(item);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        ports_[item.input]->output->enqueue(line, LineClass::response, 0, vc_set_of(line.vc));
    }
}

void TrafficEndpoint::arbitrate()
{
    for (const auto& port : ports_) do {  // a bundle of links takes several lines in an instant
            feed(*port);
            port->output->serve(event_queue().now());
        } while (port->in_port == 0 && !port->pending.empty());
}

std::uint64_t TrafficEndpoint::waiting() const
{
    std::uint64_t count = 0;
    for (const auto& port : ports_) count += port->pending.size() + port->in_port;
    return count;
}

std::vector<std::string> TrafficEndpoint::blocked() const
{
    std::vector<std::string> out;
    for (std::size_t p = 0; p < ports_.size(); ++p) {
        const std::string text = ports_[p]->output->describe();
        if (!text.empty()) out.push_back(path() + " port " + std::to_string(p) + ": " + text);
    }
    return out;
}

std::vector<Statistic> TrafficEndpoint::statistics() const
{
    return {{"created", static_cast<double>(created_), "lines", "requests created"},
        {"sent", static_cast<double>(sent_), "lines", "requests sent"},
        {"received", static_cast<double>(received_), "lines", "requests received from other endpoints"},
        {"answers", static_cast<double>(answers_), "lines", "responses received"},
        {"source_queue_peak", static_cast<double>(peak_), "lines", "longest source queue of a port"}};
}

void TrafficEndpoint::reset_statistics() { created_ = sent_ = received_ = answers_ = peak_ = 0; }

}  // namespace weft
