// FlowCore: places of requests in flight. A thread of units and an engine that copies have so many each (request_window.h); what finds
// none waits, in order (flow_windows.cpp).
#pragma once

#include <deque>
#include <vector>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"
#include "collectives/flow/request_window.h"

namespace weft {

class FlowCore::Windows {
public:
    explicit Windows(FlowCore& core) : core_(core) {}

    RequestWindow& of_thread(std::uint32_t thread);
    // A thread of this number begins: registers of the one before it hold nothing any more.
    void begin(std::uint32_t thread);
    // Makes the window of an engine that may have `most` bytes in flight, and returns its number, as FlowTransfer::window has it.
    std::uint32_t add_engine(double most);
    // The number by which the functions below know that window. They know the window of a thread by the number of the thread.
    static std::uint32_t of_engine(std::uint32_t window) { return FlowTransfer::of_engine | (window - 1); }

    // The transfer, which takes places, comes to its first link now if there are some.
    void issue(std::uint32_t transfer);
    // Places of a window may have become free.
    void issue_more(std::uint32_t window);
    // Whether requests wait for places there: then the thread goes on when all of them have some.
    bool waits(std::uint32_t thread, std::uint32_t window);
    // A request has its answer at `time`, and gives its place back.
    void answered(const Transfer& transfer, Ps time);
    // Data of a load will be at their unit at `tail`.
    void load_came(const Transfer& transfer, Ps tail);

    // How many places of its unit a byte takes that the thread stores from its own memory; 0: the limit holds for the move as a whole, of
    // what is left of its load.
    double store_places(const Thread& thread, const FlowOp& op, MoveLoad& load, const ThreadPace& pace);
    // The limit holds for the requests of this move one by one.
    bool issues_singly(const Thread& thread, const FlowOp& op);
    // Parts in which so many bytes go, where they wait for places.
    std::uint32_t least_parts(const Thread& thread, double bytes) const;
    // A copy's requests take places of its engine. The transfer takes `way` of the time for which each is held.
    static void take_places_of_engine(Transfer& transfer, const Move& move, Ps way);

private:
    static std::uint32_t number_of(const Transfer& transfer);
    RequestWindow& window(std::uint32_t number);
    bool may_issue(Transfer& transfer);
    void await_places(std::uint32_t window);
    static double lines_stored(const Thread& thread, const FlowOp& op, const ThreadPace& pace);
    bool stores_fit(const Thread& thread, const FlowOp& op, const ThreadPace& pace) const;
    bool leaves_by_one_link(const Thread& thread, std::uint32_t path) const;

    FlowCore& core_;
    std::vector<RequestWindow> of_threads_;
    std::deque<RequestWindow> of_engines_;
};

}  // namespace weft
