// The interface of a slice of an L2: SliceModel, what its factory gets, sockets, event queue, L2Spec.
#pragma once

#include "sc_models/l2/slice_model.h"
