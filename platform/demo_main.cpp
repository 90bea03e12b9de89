// `weft demo` alone, in a program that is built sooner than all of `weft`: what a newcomer runs first.
#include <systemc>

#include "base/huge_pages.h"
#include "platform/commands/command.h"
#include "platform/commands/outcome.h"

int sc_main(int, char**) { return 0; }

WEFT_BEFORE_LIBRARIES([] { weft::prefer_huge_pages(weft::huge_page_room()); });

// Called like `weft`: demo and its options.
int main(int argc, char** argv)
{
    return weft::outcome_of(weft::demo_command, {argv + (argc > 1 ? 2 : argc), argv + argc});
}
