// The shell of a link: the common part of all link models.
//
// Sockets: target[e] takes requests from the module at end e, initiator[e] delivers requests to it. The shell makes them,
// passes debug accesses, hands lines to the module at the other end and credits back to their sender.
//
// A model fills in what differs, private where it has `friend LinkShell<MyLink>`:
//
//     class MyLink final : public LinkShell<MyLink> {
//         Time take(unsigned end, Line& line, LineClass cls, Time delay);     // the time after which it takes the next one
//         Time credit_time(unsigned end, const Line& line, Time delay);       // when a credit from `end` is at the other one
//         ...                                                                 // what LinkModel asks for
//     };
//
// Base: an sc_module; arguments behind the parameters are its constructor's.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "tlm_interconnect/kernel/timed_module.h"
#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/protocol/socket_array.h"

namespace weft {

template <class Model, class Base = TimedModule>
class LinkShell : public Base, public LineInitiator, public LineTarget, public LinkModel {
public:
    LineTargetSocket& target(unsigned end) final { return targets_[end]; }
    LineInitiatorSocket& initiator(unsigned end) final { return initiators_[end]; }
    const LinkSpec& spec() const final { return spec_; }

    // What comes in by the sockets.
    Time on_request(unsigned end, Line& line, Time delay) final
    {
        return model().take(end, line, LineClass::request, delay);
    }
    Time on_response(unsigned end, Line& line, Time delay) final
    {
        return model().take(end, line, LineClass::response, delay);
    }
    void on_request_credit(unsigned end, Line& line, Time delay) final
    {
        call_backward(*behind(1 - end).responses, line, LinePhase::request_credit,
            model().credit_time(end, line, delay));
    }
    void on_response_credit(unsigned end, Line& line, Time delay) final
    {
        call_forward(*behind(1 - end).requests, line, LinePhase::response_credit,
            model().credit_time(end, line, delay));
    }

protected:
    template <class... Arguments>
    LinkShell(const LinkSpec& spec, sc_core::sc_module_name name, Arguments&&... arguments)
        : Base(name, std::forward<Arguments>(arguments)...), spec_(spec),
          targets_("target", 2, socket_creator<LineTargetSocket>(model())),
          initiators_("initiator", 2, socket_creator<LineInitiatorSocket>(model()))
    {
    }

    // What the sockets of `end` are bound to: a model that hands on while it is called goes there without the socket's count.
    struct Behind {
        LineForward* requests = nullptr;
        LineBackward* responses = nullptr;
    };
    Behind& behind(unsigned end)
    {
        if (__builtin_expect(behind_[end].requests == nullptr, 0)) look_up(end);
        return behind_[end];
    }

    // To the module at `end`.
    void hand_over(unsigned end, Line& line, LineClass cls, Time delay = 0)
    {
        if (cls == LineClass::request) {
            initiators_[end].send_request(line, delay);
        } else {
            targets_[end].send_response(line, delay);
        }
    }

private:
    [[gnu::noinline]] [[gnu::cold]] void look_up(unsigned end)
    {
        behind_[end] = {&initiators_[end].bound(), &targets_[end].bound()};
    }
    unsigned debug(unsigned end, Line& line) final { return initiators_[1 - end].debug(line); }
    Model& model() { return static_cast<Model&>(*this); }

    std::array<Behind, 2> behind_;
    LinkSpec spec_;
    sc_core::sc_vector<LineTargetSocket> targets_;
    sc_core::sc_vector<LineInitiatorSocket> initiators_;
};

}  // namespace weft
