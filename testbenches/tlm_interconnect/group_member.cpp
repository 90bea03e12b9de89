#include "testbenches/tlm_interconnect/group_member.h"

#include <cstring>

namespace weft::testing {

namespace {

constexpr std::uint8_t issue_kind = 0;
constexpr std::uint8_t arrival_kind = 1;
constexpr std::uint8_t answer_kind = 2;
constexpr std::uint8_t reply_kind = 3;

}  // namespace

GroupMember::GroupMember(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
    std::uint16_t index, unsigned ports)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), pool_(pool), index_(index)
{
    for (unsigned p = 0; p < ports; ++p) {
        auto port = std::make_unique<Port>();
        port->out = std::make_unique<LineInitiatorSocket>(("out" + std::to_string(p)).c_str(), *this, p);
        port->in = std::make_unique<LineTargetSocket>(("in" + std::to_string(p)).c_str(), *this, p);
        port->output = std::make_unique<OutputPort>(event_queue, *this, *this, p, 1, *port->out, *port->in);
        ports_.push_back(std::move(port));
    }
}

std::vector<float>& GroupMember::memory(std::uint64_t local)
{
    std::vector<float>& line = memory_[local];
    line.resize(16);
    return line;
}

Line& GroupMember::issue(Time at, LineOp op, std::uint16_t to, std::uint64_t local, bool posted, std::uint32_t size)
{
    Line& line = pool_.take();
    line.begin(op, global_address(to, local), size)
        .source(index_)
        .tag(tags_++)
        .flag(posted ? LineHeader::posted_flag : 0U);
    line.issued = at;
    if (op != LineOp::load_reduce && op != LineOp::read) std::memcpy(line.data(), memory(local).data(), size);
    line.kind = issue_kind;
    event_queue().schedule(line, *this, at, 4095);
    return line;
}

Time GroupMember::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = arrival_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
    return 0;
}

Time GroupMember::on_response(unsigned port, Line& line, Time delay)
{
    ports_[port]->out->return_response_credit(line, delay);
    line.kind = answer_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
    return 0;
}

void GroupMember::on_request_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output->add_credit(line.vc, event_queue().now() + delay);
}

void GroupMember::on_response_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output->add_credit(line.vc, event_queue().now() + delay);
}

void GroupMember::serve(Line& line)
{
    std::vector<float>& mine = memory(local_of(line.address));
    if (line.op == LineOp::read) {
        std::memcpy(line.data(), mine.data(), line.size);
    } else {
        std::memcpy(mine.data(), line.data(), line.size);
    }
}

void GroupMember::run(ScheduledItem& item)
{
    request_arbitration();
    if (item.kind >= OutputPort::wake_kind) return;
    Line& line = Line::of(item);
    const Time now = event_queue().now();
    const unsigned port = item.input;
    switch (item.kind) {
    case issue_kind: {
        const std::uint64_t number = local_of(line.address) / line_bytes;
        ports_[number % ports_.size()]->output->enqueue(line, LineClass::request, 0);
        return;
    }
    case arrival_kind:
        serve(line);
        ports_[port]->in->return_request_credit(line, 0);
        if ((line.flags & LineHeader::posted_flag) != 0) {
            pool_.give(line);
            return;
        }
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        line.kind = reply_kind;
        event_queue().schedule(line, *this, now + (line.op == LineOp::read ? read_time_ : 0), port);
        return;
    case reply_kind: ports_[port]->output->enqueue(line, LineClass::response, 0); return;
    default: break;
    }
    Answer answer{now, line.op, local_of(line.address), std::vector<float>(16)};
    std::memcpy(answer.data.data(), line.data(), line.size);
    pool_.give(line);
    answers.push_back(answer);
    if (on_answer) on_answer(answer);
}

void GroupMember::arbitrate()
{
    for (const auto& port : ports_) port->output->serve(event_queue().now());
}

}  // namespace weft::testing
