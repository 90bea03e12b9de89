// Launch groups: tables of one piece of software on one class of host, which share a launch constant.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/validation/measured.h"

namespace weft {

// Tables of the same groups that stand in the folders of `tables` and are not among them. Throws InputError where a table that
// names one of the groups is wrong; files of other kinds are passed over.
std::vector<MeasuredTable> absent_tables(const std::vector<MeasuredTable>& tables);

// Throws InputError where two tables of a group state different launch constants.
void check_launch_groups(const std::vector<MeasuredTable>& tables);

// One notice for each fitted group of which tables are absent: over which tables its constant is fitted.
std::vector<std::string> launch_notices(const std::vector<MeasuredTable>& tables,
    const std::vector<MeasuredTable>& absent);

// The name of a table's file without folder and ending.
std::string table_name(const MeasuredTable& table);

}  // namespace weft
