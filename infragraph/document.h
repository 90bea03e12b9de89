// An InfraGraph document (model version 2.4.0) as plain data, every element with its source line, and
// the strict reader that makes it from YAML or JSON text. What the document means is expand.h's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "infragraph/findings.h"
#include "infragraph/quantity.h"

namespace weft {

enum class Choice : std::uint8_t { custom, device, cpu, xpu, nic, memory, port, switch_ };
enum class Scheme : std::uint8_t { one2one, many2many, ring };

const char* name_of(Choice choice);
const char* name_of(Scheme scheme);

struct Component {
    std::string name;
    std::string description;
    std::int32_t count = 0;  // per device instance, never negative
    Choice choice = Choice::custom;
    std::string custom_type;  // for Choice::custom
    int line = 0;
    bool broken = false;  // already refused: say nothing more about it

    // The type of its nodes: the choice, or the text of a custom one.
    std::string type() const { return choice == Choice::custom ? custom_type : name_of(choice); }
};

struct LinkDeclaration {
    std::string name;
    std::string description;
    std::optional<Quantity> bandwidth;
    std::optional<Quantity> latency;
    int line = 0;
};

struct Endpoint {
    std::string container;  // the instance expression; in a device edge the optional device path
    std::string component;
    int line = 0;
};

struct EdgeRule {
    Endpoint ep1;
    Endpoint ep2;
    Scheme scheme = Scheme::one2one;
    std::string link;
    int line = 0;
    int link_line = 0;
    bool broken = false;
};

struct Device {
    std::string name;
    std::string description;
    std::vector<Component> components;
    std::vector<LinkDeclaration> links;
    std::vector<EdgeRule> edges;
    int line = 0;
    bool broken = false;  // components or links that could not be read: references may mean those
};

struct Instance {
    std::string name;  // prefix of the node names
    std::string description;
    std::string device;
    std::int32_t count = 0;  // never negative
    int line = 0;
    int device_line = 0;
    bool broken = false;
};

struct Infrastructure {
    std::string name;
    std::string description;
    std::vector<Device> devices;
    std::vector<LinkDeclaration> links;
    std::vector<Instance> instances;
    std::vector<EdgeRule> edges;
    bool broken = false;  // as of a device
};

struct AnnotationAttribute {
    std::string name;
    std::string value;
    int line = 0;
};

struct NodeAnnotation {
    std::string name;
    std::vector<AnnotationAttribute> attributes;
    int line = 0;
};

struct EdgeAnnotation {
    std::string ep1;
    std::string ep2;
    std::vector<AnnotationAttribute> attributes;
    int line = 0;
};

struct LinkAnnotation {
    std::string name;
    std::vector<AnnotationAttribute> attributes;
    int line = 0;
};

struct Annotation {
    std::vector<NodeAnnotation> nodes;
    std::vector<EdgeAnnotation> edges;
    std::vector<LinkAnnotation> links;
    std::vector<AnnotationAttribute> graph;
};

struct Document {
    enum class Form : std::uint8_t {
        infrastructure,
        graph_response,  // an infrastructure with the annotations of its expansion
        device           // a blueprint alone, the only entry of `infrastructure.devices`: nothing to expand
    };
    Form form = Form::infrastructure;
    Infrastructure infrastructure;
    Annotation annotation;  // of a graph response
};

// Reads what the text says and reports to `findings` everything that breaks the schema; the caller
// decides when to throw. Throws InputError at once when the text is no YAML, or no document of this model
// at all (annotation request, pre-0.4 draft).
Document read_document(const std::string& text, Findings& findings);

// The same for an annotation request: {nodes, edges, links, graph}.
Annotation read_annotation(const std::string& text, Findings& findings);

}  // namespace weft
