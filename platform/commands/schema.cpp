#include "platform/schema/result_schema.h"

#include "base/text_file.h"
#include "platform/applications/compare/read_facts.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/schema/schema_check.h"

namespace weft {

int schema_command(const Arguments& arguments)
{
    CommandLine line("schema",
        "Prints the JSON schema of the output that run, sweep, fabric, probe, validate and compare write with --json, "
        "or checks files against it: exit code 2 and one line for each problem if a file does not match.\n\n"
        "  weft schema > result.schema.json\n"
        "  weft schema --check result.json\n");
    std::vector<std::string> files;
    line.values("--check", "FILE", files, "a result to check against the schema, repeatable");
    if (!line.parse(arguments)) return exit_good;
    if (files.empty()) {
        print(result_schema());
        return exit_good;
    }
    const JsonValue schema = read_json(result_schema(), "schema");
    std::string out;
    std::vector<Diagnostic> problems;
    std::vector<std::string> notices;
    for (const std::string& file : files) {
        const JsonValue value = read_json(read_text_file(file, longest_result), file);
        const SchemaFindings findings = check_against(schema, value, file);
        problems.insert(problems.end(), findings.problems.begin(), findings.problems.end());
        for (const Diagnostic& each : findings.undescribed) notices.push_back(each.text());
        if (findings.problems.empty()) out += file + ": " + value.member("schema")->text + "\n";
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    print_notices(notices);
    print(out);
    return exit_good;
}

}  // namespace weft
