// The options that select the system of a command: a file, and changes to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "infragraph/load.h"
#include "platform/console/command_line.h"
#include "platform/configuration/resolved_system.h"
#include "platform/configuration/system_file.h"
#include "platform/assembly/model_registry.h"

namespace weft {

class SystemOptions {
public:
    // The argument `label` (a system file or an InfraGraph document) alone.
    void add_file(CommandLine& line, const std::string& label);
    // `label` or --infra FILE.
    void add_file_or_infra(CommandLine& line, const std::string& label);
    // --infra FILE alone, a system file or a document, and what it is for.
    void add_infra(CommandLine& line, const std::string& text);
    // --lenient, --annotate
    void add_reading(CommandLine& line);
    // --strict
    void add_strict(CommandLine& line);
    // --plugin
    void add_plugins(CommandLine& line);
    // --set, --model, --plugin, --profile, --seed
    void add_parameters(CommandLine& line);

    // Throws InputError when no file is given, or two, and for what the file or an option gets wrong.
    SystemDescription description() const;
    // The system is this file.
    void set_file(const std::string& path) { file_ = path; }
    // Whether a file is given.
    bool names_system() const { return !file_.empty() || !infra_.empty(); }
    // Throws InputError for options that change a system where none is given: for commands that go without.
    void refuse_without_system() const;
    // What --set, --model and the like say, of a system whose document is called `infrastructure`.
    SystemDescription description_of(const std::string& infrastructure) const;
    // Whether an option changes parameters, models or profiles of the system.
    bool changes_system() const;
    // Throws InputError if the system comes from a stream: for commands whose runs are processes that read it again.
    void refuse_streams(const char* command) const;
    bool reads_stream() const;
    const std::string& profile() const { return profile_; }
    bool strict() const { return strict_; }
    // One notice for each assumption about the parts on routes between the accelerators that take part; throws InputError
    // for them with --strict.
    void report_assumptions(const ResolvedSystem& system) const;
    // The document of `description`, with annotations.
    LoadedGraph load(const SystemDescription& description) const;
    // The built-in models, blocks of RTL that are registered, and those of --plugin. Throws InputError for one that
    // cannot be used.
    ModelRegistry registry() const;

private:
    void apply(SystemDescription& description) const;

    std::string file_;
    std::string infra_;
    std::string label_;
    bool lenient_ = false;
    bool strict_ = false;
    std::string annotation_;
    std::vector<std::string> sets_;
    std::vector<std::string> models_;
    std::vector<std::string> plugins_;
    std::string profile_;
    std::string seed_;
};

// Every parameter decided; notices of the document come first. Old names that were read are said on stderr.
ResolvedSystem resolve_loaded(const SystemDescription& description, LoadedGraph loaded, const ModelRegistry& registry);

}  // namespace weft
