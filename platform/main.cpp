// The `weft` program.
#include <systemc>

#include "base/huge_pages.h"
#include "platform/commands/command.h"

// libsystemc brings a `main` of its own, which expects this.
int sc_main(int, char**) { return 0; }

WEFT_BEFORE_LIBRARIES([] { weft::prefer_huge_pages(weft::huge_page_room()); });

int main(int argc, char** argv) { return weft::run_command({argv + (argc > 0 ? 1 : 0), argv + argc}); }
