// The commands of `weft`: a table of names and functions, one file per command.
#pragma once

#include <vector>

#include "platform/console/exit_code.h"

namespace weft {

struct Command {
    const char* name;
    const char* summary;  // one line for `weft help`
    // Takes what follows the name; returns the exit code. Throws InputError for what it refuses.
    int (*run)(const Arguments& arguments);
};

// In the order in which help shows them.
const std::vector<Command>& commands();

// Everything `weft` does: picks the command, prints problems on stderr, returns the exit code.
int run_command(const Arguments& arguments);

int calibrate_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int demo_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int fabric_command(const Arguments& arguments);
int graph_command(const Arguments& arguments);
int help_command(const Arguments& arguments);
int models_command(const Arguments& arguments);
int network_command(const Arguments& arguments);
int plan_command(const Arguments& arguments);
int probe_command(const Arguments& arguments);
int route_command(const Arguments& arguments);
int rtl_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int simulate_command(const Arguments& arguments);  // `weft run`
int sweep_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);
int workload_command(const Arguments& arguments);

}  // namespace weft
