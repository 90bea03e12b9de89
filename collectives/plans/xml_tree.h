// XML as a tree with line numbers: elements and attributes. Text between elements, comments,
// declarations and processing instructions are skipped; there are no entities but the five of the
// language and numbers.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct XmlAttribute {
    std::string name;
    std::string value;
};

struct XmlElement {
    std::string name;
    int line = 0;
    std::vector<XmlAttribute> attributes;
    std::vector<XmlElement> children;

    const std::string* attribute(const std::string& wanted) const;  // null when there is none
};

// The root element. Throws InputError that names `file` and the line.
XmlElement read_xml(const std::string& text, const std::string& file);

}  // namespace weft
