// What a model of a link derives from and uses: LinkModel, sockets, event queue, LinkSpec.
#pragma once

#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/link/link_shell.h"
