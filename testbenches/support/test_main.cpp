// Entry point of every test program. Defined here because libsystemc brings a `main` of its own
// that would otherwise be linked in place of GoogleTest's and run no test.
#include <gtest/gtest.h>
#include <systemc>

#include "base/huge_pages.h"

namespace {

// A SystemC warning or error that a test did not expect fails it.
void report(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    if (report.get_severity() >= sc_core::SC_WARNING)
        ADD_FAILURE() << "SystemC report " << report.get_msg_type() << ": " << report.get_msg();
    sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_ABORT);
}

}  // namespace

int sc_main(int, char**) { return 0; }

// Much less than a program asks for: a test of the rest of the heap sees it without.
WEFT_BEFORE_LIBRARIES([] { weft::prefer_huge_pages(std::size_t{256} << 20); });

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    sc_core::sc_report_handler::set_handler(report);
    return RUN_ALL_TESTS();
}
