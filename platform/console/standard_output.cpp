#include "platform/console/standard_output.h"

#include <fcntl.h>
#include <systemc>
#include <unistd.h>

namespace weft {

namespace {

std::FILE* kept = nullptr;

const char* severity_of(const sc_core::sc_report& report)
{
    switch (report.get_severity()) {
    case sc_core::SC_INFO: return "note";
    case sc_core::SC_WARNING: return "warning";
    case sc_core::SC_ERROR: return "error";
    default: return "fatal error";
    }
}

void report_on_stderr(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    if ((actions & sc_core::SC_DISPLAY) != 0U)
        std::fprintf(stderr, "weft: SystemC %s: %s: %s\n", severity_of(report), report.get_msg_type(),
            report.get_msg());
    sc_core::sc_report_handler::default_handler(report,
        actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY));
}

}  // namespace

void keep_output_for_results()
{
    sc_core::sc_report_handler::set_handler(report_on_stderr);
    if (kept != nullptr) return;
    const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return;  // it is closed: the first result finds that out
    kept = ::fdopen(copy, "w");
    if (kept == nullptr) {
        ::close(copy);
        return;
    }
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

std::FILE* results() { return kept == nullptr ? stdout : kept; }

}  // namespace weft
