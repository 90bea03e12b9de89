// Errors that modules report while a run is under way (SC_REPORT_ERROR, SC_REPORT_FATAL) or throw end it with what is known by then,
// as a problem that a checker finds.
#pragma once

#include <exception>
#include <new>

#include <systemc>

#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

// Before time starts: a fatal error is thrown, too, in place of the process's end.
inline void throw_fatal_errors() { sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW); }

// What the kernel runs: it makes a report of all that is thrown.
template <class Action>
void keep_errors(EventQueue& event_queue, const Action& action)
{
    try {
        action();
    } catch (const sc_core::sc_report& report) {
        event_queue.fail(report.get_msg());
    }
}

// What runs without the kernel, in a part: the same end, at the time of the part.
template <class Action>
void keep_errors_of_part(EventQueue& event_queue, const Action& action)
{
    try {
        action();
    } catch (const sc_core::sc_report& report) {
        event_queue.fail(report.get_msg());
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        event_queue.fail(error.what());
    }
}

}  // namespace weft
