// The `weft` program.
#include <systemc>

#include "platform/commands/command.h"

// libsystemc brings a `main` of its own, which expects this.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) { return weft::run_command({argv + (argc > 0 ? 1 : 0), argv + argc}); }
