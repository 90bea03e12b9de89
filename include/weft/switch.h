// Base classes and helpers for a switch model: SwitchShell, SwitchModel, sockets, event queue, credits, routes, output ports.
#pragma once

#include "tlm_interconnect/protocol/credit_account.h"
#include "tlm_interconnect/routing/route_table.h"
#include "tlm_interconnect/switch/output_bank.h"
#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/switch/switch_model.h"
#include "tlm_interconnect/switch/switch_shell.h"
#include "tlm_interconnect/switch/switch_spec.h"
