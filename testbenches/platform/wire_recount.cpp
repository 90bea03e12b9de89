#include "testbenches/platform/wire_recount.h"

#include <algorithm>

#include "tlm_interconnect/link/credit_messages.h"

namespace weft::testing {

namespace {

MergeKind merge_of(const LinkSpec& spec) { return spec.merge; }

bool carries_data(LineOp op, LineClass cls)
{
    if (op == LineOp::fetch) return true;
    const bool loads = op == LineOp::read || op == LineOp::load_reduce;
    return loads ? cls == LineClass::response : cls == LineClass::request;
}

bool stores(LineOp op) { return op == LineOp::write || op == LineOp::multicast; }
bool loads(LineOp op) { return op == LineOp::read || op == LineOp::load_reduce; }

class LinkTap : public sc_core::sc_module, public LineInitiator, public LineTarget, public LinkModel {
public:
    LinkTap(sc_core::sc_module_name name, EventQueue& event_queue, std::unique_ptr<LinkModel> link,
        Recounts::Entry& entry, std::map<const Line*, bool>& shared)
        : sc_module(name), event_queue_(event_queue), link_(std::move(link)), entry_(entry), shared_(shared)
    {
        for (unsigned end = 0; end < 2; ++end) {
            const std::string number = std::to_string(end);
            outer_targets_[end] = std::make_unique<LineTargetSocket>(("outer_target" + number).c_str(), *this, end);
            outer_initiators_[end] =
                std::make_unique<LineInitiatorSocket>(("outer_initiator" + number).c_str(), *this, end);
            inner_targets_[end] = std::make_unique<LineTargetSocket>(("inner_target" + number).c_str(), *this, 2 + end);
            inner_initiators_[end] =
                std::make_unique<LineInitiatorSocket>(("inner_initiator" + number).c_str(), *this, 2 + end);
            inner_initiators_[end]->bind(link_->target(end));
            link_->initiator(end).bind(*inner_targets_[end]);
        }
    }
    ~LinkTap() override
    {
        for (unsigned end = 0; end < 2; ++end) entry_.counted[end] = link_->direction(end);
    }

    LineTargetSocket& target(unsigned end) override { return *outer_targets_[end]; }
    LineInitiatorSocket& initiator(unsigned end) override { return *outer_initiators_[end]; }
    const LinkSpec& spec() const override { return link_->spec(); }
    Direction direction(unsigned end) const override { return link_->direction(end); }
    void reset_statistics() override { link_->reset_statistics(); }

private:
    // Ports 0 and 1 are the ends as others see them, 2 and 3 those that the link sees.
    static bool outer(unsigned port) { return port < 2; }

    Time on_request(unsigned port, Line& line, Time delay) override
    {
        if (!outer(port)) return outer_initiators_[port - 2]->send_request(line, delay);
        const bool shares = entry_.directions[port].line(line, LineClass::request, event_queue_.now() + delay, false);
        if (merge_of(link_->spec()) == MergeKind::adjacent) shared_[&line] = shares;
        return inner_initiators_[port]->send_request(line, delay);
    }
    Time on_response(unsigned port, Line& line, Time delay) override
    {
        if (!outer(port)) return outer_targets_[port - 2]->send_response(line, delay);
        const auto request = shared_.find(&line);
        entry_.directions[port].line(line, LineClass::response, event_queue_.now() + delay,
            request != shared_.end() && request->second);
        return inner_targets_[port]->send_response(line, delay);
    }
    void on_request_credit(unsigned port, Line& line, Time delay) override
    {
        if (!outer(port)) return outer_targets_[port - 2]->return_request_credit(line, delay);
        entry_.directions[port].credit(event_queue_.now(), delay);
        inner_targets_[port]->return_request_credit(line, delay);
    }
    void on_response_credit(unsigned port, Line& line, Time delay) override
    {
        if (!outer(port)) return outer_initiators_[port - 2]->return_response_credit(line, delay);
        entry_.directions[port].credit(event_queue_.now(), delay);
        inner_initiators_[port]->return_response_credit(line, delay);
    }
    unsigned debug(unsigned port, Line& line) override
    {
        return outer(port) ? inner_initiators_[port]->debug(line) : outer_initiators_[port - 2]->debug(line);
    }

    EventQueue& event_queue_;
    std::unique_ptr<LinkModel> link_;
    Recounts::Entry& entry_;
    std::map<const Line*, bool>& shared_;
    std::unique_ptr<LineTargetSocket> outer_targets_[2], inner_targets_[2];
    std::unique_ptr<LineInitiatorSocket> outer_initiators_[2], inner_initiators_[2];
};

}  // namespace

std::uint64_t WireRecount::add(std::uint64_t bytes)
{
    const std::uint64_t before = wire();
    bytes_ += bytes;
    return wire() - before;
}

void WireRecount::occupy(Time from, std::uint64_t bytes)
{
    free_ = std::max(free_, from) + bytes * 1'000'000'000'000 / spec_.bandwidth;
}

void WireRecount::send_messages(Time until)
{
    for (; !due_.empty() && due_.begin()->first <= until; due_.erase(due_.begin()))
        occupy(due_.begin()->first, due_.begin()->second);
}

void WireRecount::credit(Time now, Time delay)
{
    ++credits;
    if (spec_.credit_bytes == 0 || credits % credits_of_message(spec_) != 0) return;
    ++messages;
    due_.emplace(now + delay, add(spec_.credit_bytes));
    send_messages(now);
}

bool WireRecount::region_is_new(std::uint64_t address)
{
    const std::uint64_t region = address / spec_.extension_region;
    const auto known = std::find(regions_.begin(), regions_.end(), region);
    const bool is_new = known == regions_.end();
    if (!is_new) regions_.erase(known);
    regions_.push_front(region);
    if (regions_.size() > spec_.extension_ways) regions_.pop_back();
    return is_new;
}

bool WireRecount::adjacent(const LineHeader& line, LineClass cls, Time arrival) const
{
    if (before_.empty() || arrival > free_ || !line.full_line()) return false;
    const Before& before = before_.front();
    return before.cls == cls && before.op == line.op && before.vc == line.vc && before.source == line.source &&
        before.destination == line.destination && before.next == line.address &&
        line.address % (spec_.max_payload / line_bytes * line_bytes) != 0;
}

bool WireRecount::to_destination(const LineHeader& line, LineClass cls, std::uint64_t bytes, Time arrival)
{
    const Time patience = (spec_.max_payload + spec_.packet_overhead) * 1'000'000'000'000 / spec_.bandwidth;
    const Stream stream{line.source, line.destination, line.vc, cls};
    const auto [place, fresh] = open_.try_emplace(stream, Open{0, 0});
    Open& open = place->second;
    const bool joins = !fresh && open.filled + bytes <= spec_.max_payload && arrival <= open.last + patience;
    open = {joins ? open.filled + bytes : bytes, arrival};
    return joins;
}

// A line that a network card sends, or its answer: the n-th byte of a transfer begins a packet where n is a multiple of the
// MTU. Transfers are whole lines here, and shorter than a message.
std::uint64_t WireRecount::of_card(const Line& line, LineClass cls, std::uint64_t bytes, std::uint64_t data)
{
    const std::uint64_t mtu = spec_.max_payload / (line_bytes + spec_.header) * line_bytes;
    Sent alone;
    Sent& sent = line.transfer == 0 ? alone : sent_[{line.source, line.destination, line.transfer, cls}];
    const bool first = sent.lines++ == 0;
    if (first || (data > 0 && sent.data % mtu == 0)) {
        ++packets;
        bytes += spec_.packet_overhead;
    }
    sent.data += data;
    return first ? bytes + (cls == LineClass::request ? spec_.message_header : spec_.message_answer) : bytes;
}

bool WireRecount::line(const Line& line, LineClass cls, Time arrival, bool shares)
{
    send_messages(arrival);
    ++lines;
    const bool request = cls == LineClass::request;
    const std::uint64_t data = carries_data(line.op, cls) ? line.size : 0;
    payload += data;
    std::uint64_t bytes = (data + spec_.flit - 1) / spec_.flit * spec_.flit;
    if (request && stores(line.op) && !line.full_line()) bytes += spec_.byte_enable;
    if (request && !stores(line.op) && !loads(line.op)) bytes += spec_.atomic_extra;
    if (line.message_part != 0 && merge_of(spec_) == MergeKind::destination) {
        occupy(arrival, add(of_card(line, cls, bytes, data)));
        return false;
    }
    const std::uint64_t header = request ? spec_.header : spec_.header - std::min(spec_.header, spec_.response_saving);
    bool joins = false;
    if (merge_of(spec_) == MergeKind::adjacent) {
        joins = (!request && line.full_line() && shares) || adjacent(line, cls, arrival);
        before_.clear();
        if (line.full_line())
            before_.push_back({cls, line.op, line.vc, line.source, line.destination, line.address + line_bytes});
    }
    if (!joins) {
        bytes += header;
        if (request && spec_.address_extension > 0 && region_is_new(line.address)) bytes += spec_.address_extension;
    }
    if (merge_of(spec_) == MergeKind::destination) joins = to_destination(line, cls, bytes, arrival);
    if (!joins) {
        ++packets;
        bytes += spec_.packet_overhead;
    }
    occupy(arrival, add(bytes));
    return joins && request && line.full_line();
}

std::unique_ptr<LinkModel> tapped(const std::string& module_name, EventQueue& event_queue, const std::string& path,
    std::unique_ptr<LinkModel> link, const LinkSpec& recounted_as, Recounts& seen)
{
    seen.links.push_back(std::make_unique<Recounts::Entry>(
        Recounts::Entry{path, {WireRecount(recounted_as), WireRecount(recounted_as)}}));
    return std::make_unique<LinkTap>(module_name.c_str(), event_queue, std::move(link), *seen.links.back(),
        seen.shared);
}

}  // namespace weft::testing
