// From protobuf messages to our own structs. Private to the reader: it brings in generated headers.
#pragma once

#include "collectives/chakra/attribute.h"
#include "collectives/chakra/node_reader.h"
#include "wire.pb.h"

namespace weft::chakra {

// False when the message has fields that metadata does not have: a node, for instance.
bool is_metadata(const wire::Metadata& message);
TraceMetadata metadata_from_wire(const wire::Metadata& message);

// Throws InputError when an attribute has the wrong type.
Node node_from_wire(const wire::Node& message, const Origin& origin);

}  // namespace weft::chakra
