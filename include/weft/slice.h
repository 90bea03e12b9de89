// The interface of a slice of an L2: SliceModel, what its factory gets, sockets, event queue, L2Spec.
#pragma once

#include "sc_models/slice_model.h"
