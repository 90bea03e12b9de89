// The protocol of a link, and the reason for its selection.
#pragma once

#include <string>
#include <string_view>

#include "platform/configuration/tables/link_table.h"
#include "platform/configuration/tables/profile.h"

namespace weft {

struct LinkChoice {
    enum class By : std::uint8_t {
        name,         // a system file, --set or an annotation names a protocol of the table
        description,  // the document's description of the link
        ends,         // the nodes at its ends: a choice of ours
        nothing       // neither: the fallback of the table
    };
    By by = By::nothing;
    const LinkKind* kind = nullptr;  // nullptr: by nothing
    std::string family;              // "scale_up" where it stands for the accelerator's scale-up links
    bool rate_of_table = true;       // without a stated bandwidth the table's holds
    bool rate_assumed = false;       // that is itself a choice: no generation, lanes or speed is stated
    std::string because{};           // by ends or nothing: a clause
};

// Whether links of `family` are those of the profile's scale-up fabric.
bool in_scale_up_family(const std::string& family, const Profile* profile);

// The protocol that the kinds of nodes at the two ends of a link imply (rows of the node table, "memory" for a pool).
struct EndRule {
    const char* link;  // of the link table; "scale_up": the scale-up link of the accelerator's profile
    bool rate;         // the table's bandwidth is a fair one
};
// nullptr: nothing. The order of the ends does not matter.
const EndRule* rule_for_ends(std::string_view a, std::string_view b);

// Whether a kind of node can be a switch of a scale-up fabric.
bool can_be_scale_up_switch(std::string_view kind);

}  // namespace weft
