// Names in the Markdown pages: files of the source tree and links to other pages.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "testbenches/structure/source_rules.h"

namespace weft::structure {

// Every file of the source tree that belongs to it, from the repository root; no hidden folders, no build folders.
std::set<std::string> read_file_names(const std::string& root);

// The Markdown pages among them, with their lines. The change log is left out: it names what was removed later.
std::vector<SourceFile> read_pages(const std::string& root, const std::set<std::string>& files);

// Names that no file has. Checked are `inline code` that is the name of a source, header, script or page (it may leave
// out leading folders), inline code that is a folder below a top folder of the tree (`gpu/`), and the targets of links.
// Fenced blocks are left out: they show what users type and write.
std::vector<Finding> check_names(const SourceFile& page, const std::set<std::string>& files);

}  // namespace weft::structure
