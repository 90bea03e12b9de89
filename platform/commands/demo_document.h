// examples/dgx_h100/dgx_h100.yaml, compiled into the program.
#pragma once

namespace weft {

extern const char* const demo_document;

}  // namespace weft
