// A device profile: what the figures of an accelerator are that no InfraGraph document states.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/tables/figures.h"

namespace weft {

struct Profile {
    // The links that an accelerator has for its scale-up fabric. A document draws one edge per
    // neighbour: the links are shared out over the edges.
    struct ScaleUp {
        std::string family;           // family of link kinds (link_table.h)
        std::string link;             // link kind that a generic link name stands for
        std::optional<Figure> links;  // count
        std::optional<Figure> rate;   // B/s per link and direction

        // Whether links of this family of the table are among them; "scale_up" stands for those of any accelerator.
        bool has(const std::string& of) const { return !of.empty() && (of == "scale_up" || of == family); }
    };

    std::string name;
    std::string file;  // empty: built in
    std::string description;
    std::vector<std::string> match;  // phrases in the description of a component that call for it
    ScaleUp scale_up;
    // Parameters of an xpu's blocks; switch: of its scale-up fabric; routing: of a system whose first xpu it is.
    std::map<Block, Figures> figures;

    const Figures& of(Block block) const
    {
        static const Figures none;
        const auto found = figures.find(block);
        return found == figures.end() ? none : found->second;
    }
};

// Built-in profiles and those read from files so far.
class ProfileStore {
public:
    ProfileStore();

    // A built-in name, or a file when `name` contains '/' or ends in ".yaml". Throws InputError that
    // names `file` and `line`, the place that asks for the profile. The pointer stays valid.
    const Profile* get(const std::string& name, const std::string& file, int line);

    // The profile that a text speaks of ("NVIDIA H100 / H200 SXM5": the first part named counts), or
    // nullptr.
    const Profile* matching(const std::string& text) const;

    // All of which it speaks, in the order of the text.
    std::vector<std::string> all_matching(const std::string& text) const;

    std::vector<std::string> names() const;
    const std::deque<Profile>& profiles() const { return profiles_; }
    // Old names in files (old_names.h).
    const std::vector<std::string>& notices() const { return notices_; }

private:
    struct BuiltIn {};
    explicit ProfileStore(BuiltIn);
    Profile& read(const std::string& file, const YamlTree& tree);
    const Profile* find(const std::string& name) const;

    std::deque<Profile> profiles_;
    std::vector<std::pair<std::string, const Profile*>> files_;
    std::size_t built_in_ = 0;
    std::vector<std::string> notices_;
};

// The keys of a profile's file, and its key 'scale_up' (docs/own_profile.md).
const std::vector<std::string>& profile_keys();
const std::vector<std::string>& scale_up_keys();

// Whether a profile name means a file.
bool is_profile_file(const std::string& name);

}  // namespace weft
