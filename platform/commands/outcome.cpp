#include "platform/commands/outcome.h"

#include <exception>
#include <new>
#include <string>

#include "platform/console/messages.h"
#include "platform/console/standard_output.h"
#include "platform/console/interrupt.h"
#include "platform/console/told_reads.h"

namespace weft {

int outcome_of(int (*command)(const Arguments&), const Arguments& arguments)
{
    keep_output_for_results();
    end_on_interrupt();
    const ToldReads reads;
    int code = exit_refused;
    try {
        code = command(arguments);
    } catch (const InputError& error) {
        print_problems(error);
    } catch (const std::bad_alloc&) {
        print_problems(usage_error("not enough memory", "a smaller system or message, or --no-data"));
    } catch (const std::exception& error) {
        print_problems(usage_error(std::string("internal error: ") + error.what(), ""));
    }
    if (!output_is_good() && code == exit_good) {
        print_problems(usage_error("the standard output cannot be written", "an output with free space"));
        code = exit_refused;
    }
    return code;
}

}  // namespace weft
