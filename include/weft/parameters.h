// Parameters and statistics of a user's model: ParameterTable with time_parameter(), rate_parameter(), choice_parameter()
// and the like; ParameterSet, which holds values; StatisticTable and StatisticWriter.
#pragma once

#include "base/parameter_block.h"
#include "base/parameter_kinds.h"
#include "base/statistic_table.h"
