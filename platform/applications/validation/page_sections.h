// Generated sections of a page that people write. A section stands between two lines,
//
//     <!-- weft validate: NAME -->
//     <!-- end -->
//
// and everything between them is replaced; the rest of the page stays as it is.
#pragma once

#include <map>
#include <set>
#include <string>

namespace weft {

// `page` with its sections replaced; `file` is for messages. Throws InputError for a section that is not closed, and
// for one of `sections` that the page has no place for. Places that are not in `sections` stay as they are.
std::string with_sections(const std::string& file, const std::string& page,
    const std::map<std::string, std::string>& sections);

// The description of a page for with_sections(), for messages.
inline constexpr const char* page_form = "an existing Markdown page with lines '<!-- weft validate: TABLE -->' and "
                                         "'<!-- end -->' around each table's section";

// Names of the sections of a page.
std::set<std::string> section_names(const std::string& page);

}  // namespace weft
