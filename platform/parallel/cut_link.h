// A link whose ends are in different parts of a run.
//
// Each part has a link of the model at its end, which books the wire of what leaves there and answers the module as ever. What comes out
// at the far end of it (transactions, credits) is written down as plain data with its arrival and goes to the other part; there deliver()
// hands it to the module as the link itself would have done, later in the host's time and at the same simulated time.
//
// Right for links that hand a line on while they take it, and whose credits depend on nothing but their latency: without retry, without
// messages for credits, without a pool of credits (platform/simulation/partitioned.h refuses others).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "platform/parallel/transport.h"
#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/protocol/line_record.h"

namespace weft {

// What goes with every transaction and credit between parts.
struct CutRecord {
    Time due;              // at the module behind the link
    Time at;               // when the module before it sent
    std::uint32_t device;  // of that module
    std::uint32_t link;    // number
    std::uint8_t end;      // where it arrives
    LinePhase phase;
    std::uint8_t vc;     // of a credit
    std::uint8_t lines;  // credits of a wide transaction
    bool has_line;       // a LineRecord follows, and a LatencyBreakdown behind it if it is traced
};

class CutLink final : public sc_core::sc_module, public LinkModel {
public:
    struct Side {
        std::uint32_t part;
        EventQueue* event_queue;  // null: the part is in another process, and so is that half of the link
        LinePool* pool;           // the same
        bool data_on;             // contents are simulated
    };
    using MakeLink = std::function<std::unique_ptr<LinkModel>(unsigned end, const std::string& module_name)>;

    // `number` is its place among the cut links of the run, `path` names it in reports.
    CutLink(sc_core::sc_module_name name, std::string path, std::uint32_t number, const std::array<Side, 2>& sides,
        const MakeLink& make, Transport& transport);
    ~CutLink() override;

    // Hands `record`, with the line and the breakdown that are `after` it if it has them, to the module at its end. `begin`: of the
    // window; nothing may arrive before it. Returns how many bytes were read.
    std::size_t deliver(const CutRecord& record, const std::byte* after, Time begin);

    LineTargetSocket& target(unsigned end) override { return halves_[end]->target(end); }
    LineInitiatorSocket& initiator(unsigned end) override { return halves_[end]->initiator(end); }
    const LinkSpec& spec() const override { return (halves_[0] ? halves_[0] : halves_[1])->spec(); }
    // Of what leaves at an end that is elsewhere: nothing.
    Direction direction(unsigned end) const override
    {
        return halves_[end] ? halves_[end]->direction(end) : Direction();
    }
    Time busy_until(unsigned end, Time now) const override
    {
        return halves_[end] ? halves_[end]->busy_until(end, now) : 0;
    }
    void reset_statistics() override
    {
        for (const auto& half : halves_)
            if (half) half->reset_statistics();
    }

private:
    class FarEnd;
    // The interfaces that the sockets of an end are bound to.
    struct Module {
        LineForward* requests = nullptr;
        LineBackward* responses = nullptr;
    };

    void end_of_elaboration() override;

    std::string path_;
    std::array<Side, 2> sides_;
    std::array<std::unique_ptr<LinkModel>, 2> halves_;
    std::array<std::unique_ptr<FarEnd>, 2> far_;
    std::array<Module, 2> modules_;  // by end
    std::array<Line, 2> credits_{Line(nullptr, false),
        Line(nullptr, false)};  // by end, which each belong to one thread
};

}  // namespace weft
