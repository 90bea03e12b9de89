#include "platform/parallel/cut_link.h"

#include <cstring>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/parallel/carried_data.h"

namespace weft {

// What is bound to the end of a half that leads to the other part.
class CutLink::FarEnd final : public sc_core::sc_module, public LineInitiator, public LineTarget {
public:
    // `end`: where its records arrive.
    FarEnd(sc_core::sc_module_name name, const Side& from, const Side& to, std::uint32_t link, unsigned end,
        Transport& transport)
        : sc_module(name), out("out", *this), in("in", *this), from_(from), to_(to.part), link_(link),
          end_(static_cast<std::uint8_t>(end)), transport_(transport)
    {
    }

    LineInitiatorSocket out;
    LineTargetSocket in;

    Time on_request(unsigned, Line& line, Time delay) override { return take(line, LinePhase::request, delay); }
    Time on_response(unsigned, Line& line, Time delay) override { return take(line, LinePhase::response, delay); }
    void on_request_credit(unsigned, Line& line, Time delay) override
    {
        write(record(LinePhase::request_credit, delay, line, false));
    }
    void on_response_credit(unsigned, Line& line, Time delay) override
    {
        write(record(LinePhase::response_credit, delay, line, false));
    }

private:
    Time take(Line& line, LinePhase phase, Time delay)
    {
        const LineClass cls = phase == LinePhase::request ? LineClass::request : LineClass::response;
        const CutRecord head = record(phase, delay, line, true);
        const unsigned carried = carried_bytes(line, cls, from_.data_on);
        std::byte* const at =
            transport_.outbox(from_.part, to_).add(sizeof head + LineRecord::bytes(line.depth, carried));
        std::memcpy(at, &head, sizeof head);
        line.save(at + sizeof head, carried);
        if (line.traced()) write(line.breakdown());
        from_.pool->give(line);
        return 0;
    }
    CutRecord record(LinePhase phase, Time delay, const Line& line, bool has_line) const
    {
        const Scheduling& by = from_.event_queue->scheduling();
        return {from_.event_queue->now() + delay, by.at, by.device, link_, end_, phase, line.vc,
            static_cast<std::uint8_t>(line.lines()), has_line};
    }
    template <class T>
    void write(const T& value)
    {
        transport_.outbox(from_.part, to_).append(&value, sizeof value);
    }

    Side from_;
    std::uint32_t to_;
    std::uint32_t link_;
    std::uint8_t end_;
    Transport& transport_;
};

CutLink::CutLink(sc_core::sc_module_name name, std::string path, std::uint32_t number, const std::array<Side, 2>& sides,
    const MakeLink& make, Transport& transport)
    : sc_module(name), path_(std::move(path)), sides_(sides)
{
    for (unsigned end = 0; end < 2; ++end) {
        if (sides_[end].event_queue == nullptr) continue;
        halves_[end] = make(end, "half_" + std::to_string(end));
        far_[end] = std::make_unique<FarEnd>(("far_" + std::to_string(end)).c_str(), sides_[end], sides_[1 - end],
            number, 1 - end, transport);
        far_[end]->out.bind(halves_[end]->target(1 - end));
        halves_[end]->initiator(1 - end).bind(far_[end]->in);
    }
}

CutLink::~CutLink() = default;

void CutLink::end_of_elaboration()
{
    for (unsigned end = 0; end < 2; ++end)
        if (halves_[end]) modules_[end] = {&halves_[end]->initiator(end).bound(), &halves_[end]->target(end).bound()};
}

std::size_t CutLink::deliver(const CutRecord& record, const std::byte* after, Time begin)
{
    if (record.due < begin)
        throw InputError("", 0,
            fmt::format("{}: a {} sent at {} arrives at {}, in a window that ended at {}: the link is shorter than the "
                        "lookahead",
                path_, name_of(record.phase), format_time_ps(record.at), format_time_ps(record.due),
                format_time_ps(begin)),
            "arrivals no earlier than the end of the window");
    const Side& side = sides_[record.end];
    side.event_queue->set_scheduling(begin, {record.at, record.device});
    Line& handed = record.has_line ? side.pool->take() : credits_[record.end];
    std::size_t bytes = 0;
    if (record.has_line) {
        side.pool->prefetch();
        bytes = handed.restore(after);
        if (handed.traced()) {
            std::memcpy(&handed.breakdown(), after + bytes, sizeof(LatencyBreakdown));
            bytes += sizeof(LatencyBreakdown);
        }
    } else {
        handed.vc = record.vc;
        // So many credits as the transaction has lines.
        if (handed.lines() != record.lines) handed.begin(LineOp::read, 0, record.lines * line_bytes);
    }
    const Time delay = record.due - begin;
    if (record.phase == LinePhase::request || record.phase == LinePhase::response_credit) {
        call_forward(*modules_[record.end].requests, handed, record.phase, delay);
    } else {
        call_backward(*modules_[record.end].responses, handed, record.phase, delay);
    }
    return bytes;
}

}  // namespace weft
