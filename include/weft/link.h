// Base classes and helpers for a link model: LinkModel, sockets, event queue, LinkSpec.
#pragma once

#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/link/link_shell.h"
