# shellcheck shell=bash disable=SC2154
# Packages, build and tests, for the launcher ./weft, which sources this file and has set `here`,
# `target`, `program`, `built` and `installed`. Every step may be interrupted at any point and done again: a stamp
# is written only after the step it stands for.

say() { printf 'weft: %s\n' "$*" >&2; }

fail()
{
    say "$*"
    exit 2
}

trap 'say "interrupted; run the same command again to continue"; exit 130' INT TERM

# One set-up at a time per checkout. The lock goes with the process that holds it.
lock()
{
    mkdir -p "$here/build" 2> /dev/null || fail "$here/build cannot be created; expected a checkout that you may write to"
    exec 9> "$here/build/setup.lock"
    if ! flock -n 9; then
        say "another ./weft is building this checkout; waiting for it"
        flock 9
    fi
}

unlock() { exec 9>&-; }

# as_root COMMAND... ; asks for a password only where somebody can type one.
as_root()
{
    if [[ $(id -u) == 0 ]]; then
        "$@"
    elif [[ -t 2 ]]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# missing_packages NEED -> the names on the list with that need which are not installed.
missing_packages()
{
    local name need
    command -v dpkg-query > /dev/null || return 0
    while read -r name need _; do
        [[ $need == "$1" ]] || continue
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2> /dev/null) == installed ]] || echo "$name"
    done < "$here/tools/packages.txt"
}

apt()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" \
        < /dev/null >&2 9>&-
}

install_packages()
{
    local sum name required optional
    sum=$(cksum < "$here/tools/packages.txt")
    [[ -f $installed && $(<"$installed") == "$sum" ]] && return
    if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
        say "no apt-get here: expecting the equivalents of tools/packages.txt to be installed already"
        echo "$sum" > "$installed"
        return
    fi
    # (No process substitution: it needs /proc, which a bare chroot lacks.)
    read -r -d '' -a required <<< "$(missing_packages required)" || true
    read -r -d '' -a optional <<< "$(missing_packages optional)" || true
    if ((${#required[@]} + ${#optional[@]} > 0)); then
        say "missing Debian packages: ${required[*]} ${optional[*]}"
        if [[ $(id -u) != 0 ]] && ! command -v sudo > /dev/null; then
            ((${#required[@]} == 0)) || fail "installing them takes root and there is no sudo; as root, run: apt-get install ${required[*]} ${optional[*]}"
            say "going on without the optional ones (no root, no sudo)"
            optional=()
        fi
    fi
    if ((${#required[@]} + ${#optional[@]} > 0)); then
        say "installing them (apt-get)"
        # An installation that was cut short is finished first.
        as_root dpkg --configure -a < /dev/null >&2 9>&- || true
        apt update || say "apt-get update failed; trying with the package lists at hand"
        if ((${#required[@]} > 0)); then
            apt install --fix-broken --no-install-recommends "${required[@]}" \
                || fail "apt-get could not install what is missing; as root, run: apt-get install ${required[*]}"
        fi
        for name in "${optional[@]}"; do
            apt install --no-install-recommends "$name" \
                || say "notice: $name was not installed; Weft works without it (see tools/packages.txt)"
        done
    fi
    echo "$sum" > "$installed"
}

# Something failed that should not: a package may have gone since the list was last checked.
check_packages_again()
{
    [[ -n $(missing_packages required) ]] || return 0
    rm -f -- "$installed"
    install_packages
}

# build PRESET [TARGET...] ; without targets everything, tests included.
build()
{
    local preset=$1 folder=$here/build/$1 log=$here/build/configure-$1.log target targets=()
    shift
    for target in "$@"; do targets+=(--target "$target"); done

    # A build folder remembers where its checkout was; after a move it is of no use.
    if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$here" "$folder/CMakeCache.txt"; then
        say "the checkout has moved; starting build/$preset afresh"
        rm -rf -- "$folder"
    fi
    mkdir -p "$folder"
    say "configuring build/$preset"
    local configure=(cmake --preset "$preset" "-DCMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)")
    if ! (cd "$here" && "${configure[@]}") &> "$log" < /dev/null; then
        check_packages_again
        if ! (cd "$here" && "${configure[@]}" --fresh) &> "$log" < /dev/null; then
            cat "$log" >&2
            fail "cmake could not configure build/$preset (see above)"
        fi
    fi
    log=$here/build/build-$preset.log
    say "building build/$preset with $(nproc) jobs; log: $log"
    local status=0
    (cd "$here" && compile "$preset" "${targets[@]}") < /dev/null 2>&1 9>&- | tee -- "$log" | progress "building" || status=$?
    if ((status != 0)); then
        failed_steps "$log" >&2
        check_packages_again
        fail "the build failed (see above; all of it: $log); what was built is kept"
    fi
}

compile() { NINJA_STATUS='[%f/%t] ' cmake --build --preset "$1" -j "$(nproc)" "${@:2}"; }

# The commands that failed and what they said, at most 60 lines.
failed_steps() { awk '/^FAILED:/ { show = 1 } /^\[[0-9]+\/[0-9]+\] / { show = 0 } show' "$1" | head -n 60; }

duration()
{
    if (($1 >= 90)); then echo "$((($1 + 30) / 60)) min"; else echo "$1 s"; fi
}

# progress WHAT [FIRST] : follows the output of ninja ("[done/of]") or ctest (" done/of Test") on its input and shows one line: on
# a terminal the same line again and again, elsewhere a new one for every tenth. FIRST: a test that fails is shown at once.
progress()
{
    local what=$1 line done of percent shown=-1 began=$SECONDS left text
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] || $line =~ ^\ *([0-9]+)/([0-9]+)\ Test ]]; then
            done=${BASH_REMATCH[1]} of=${BASH_REMATCH[2]}
            ((of > 2)) || continue  # ninja looks at its own files
            percent=$((done * 100 / of))
            left=""
            if ((SECONDS - began >= 5 && percent >= 10 && done < of)); then  # the first steps are the longest
                left=", about $(duration $(((SECONDS - began) * (of - done) / done))) left"
            fi
            text="weft: $what: $done of $of, $percent %$left"
            if [[ -t 2 ]]; then
                printf '\r\033[K%s' "$text" >&2
            elif ((percent / 10 > shown)); then
                printf '%s\n' "$text" >&2
                shown=$((percent / 10))
            fi
            if [[ $line == *'***'* && $line != *'***Skipped'* ]]; then
                [[ ! -t 2 ]] || printf '\r\033[K' >&2
                printf '%s\n' "$line" >&2
            fi
        fi
    done
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

build_program()
{
    lock
    # Whoever held the lock may have done the work.
    if ! up_to_date; then
        install_packages
        echo "$here" > "$here/build/release.began"
        [[ $target == weft ]] || say "first what the demonstration needs; the next command builds the rest"
        build release "$target"
        [[ -x $program ]] || fail "the build made no $program"
        mv -f -- "$here/build/release.began" "$built"
        say "ready"
    fi
    unlock
}

# Paths that ctest would take from its own folder mean the caller's.
absolute_paths()
{
    ctest_args=()
    local arg path_follows=
    for arg in "$@"; do
        [[ -n $path_follows && $arg != /* ]] && arg=$PWD/$arg
        path_follows=
        case $arg in
            --output-junit | --output-log | -O) path_follows=yes ;;
        esac
        ctest_args+=("$arg")
    done
}

test_usage()
{
    cat << END
./weft test [--all] [--sanitize] [CTEST ARGUMENTS]

Builds everything (build/release) and runs the test suite with ctest, in parallel.
  --all        also runs the tests labelled \`long\` (docs/contributing.md lists them)
  --sanitize   also builds and runs it with AddressSanitizer (build/asan) and with
               UndefinedBehaviorSanitizer (build/ubsan)
Other arguments go to ctest: -R PATTERN, -E PATTERN, -L LABEL, -V, -N, --output-junit FILE, ...
With -R, -L or -I long tests are run, too. What the tests print is kept in build/test-PRESET.log.
END
}

# What the failed tests printed, at most 200 lines, and ctest's summary.
test_report()
{
    awk '/^ *[0-9]+\/[0-9]+ Test +#/ { show = /\*\*\*/ && !/\*\*\*Skipped/ } /^ +Start +[0-9]+:/ { next } /^[0-9]+% tests passed/ { exit } show' "$1" | head -n 200
    awk '/^[0-9]+% tests passed|^No tests were found/ { summary = 1 }
        /^The following tests did not run:/ { skipping = 1; next }
        /^The following tests FAILED:/ { skipping = 0 }
        skipping && /\((Skipped|Disabled)\)/ { ++skipped; next }
        summary { print }
        END { if (skipped) printf "%d tests were skipped: what they need is not here (the log names them)\n", skipped }' "$1"
}

# run_tests [--all] [--sanitize] [ctest arguments] ; ctest's status, the first bad one of several presets.
run_tests()
{
    local preset presets=(release) arg args=() status=0 result log select=(-LE '^long$') plain=
    for arg in "$@"; do
        case $arg in
            --help | -h)
                test_usage
                return 0
                ;;
            --sanitize) presets=(release asan ubsan) ;;
            --all)
                select=()
                export WEFT_TEST_ALL=1
                ;;
            *)
                case $arg in
                    -R | --tests-regex | -L | --label-regex | -I | --tests-information) select=() ;;
                    -V | -VV | --verbose | --extra-verbose | -N | --show-only*) plain=yes ;;
                esac
                args+=("$arg")
                ;;
        esac
    done
    absolute_paths "${args[@]}"
    lock
    install_packages
    for preset in "${presets[@]}"; do build "$preset"; done
    unlock
    # One more than there are cores: some tests wait more than they compute.
    local jobs=$(($(nproc) + 1))
    for preset in "${presets[@]}"; do
        log=$here/build/test-$preset.log
        local ctest=(ctest --preset "$preset" --output-on-failure --no-tests=error -j "$jobs" "${select[@]}" "${ctest_args[@]}")
        result=0
        if [[ -n $plain ]]; then
            (cd "$here" && "${ctest[@]}") || result=$?
        else
            say "testing build/$preset; log: $log"
            (cd "$here" && "${ctest[@]}" 2>&1) | tee -- "$log" | progress "testing" || result=$?
            test_report "$log"
        fi
        ((status != 0)) || status=$result
    done
    return "$status"
}
