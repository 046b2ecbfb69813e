package visible

import (
	"slices"
	"strings"
)

// reasons match lines that state why a program failed: the first of them is the reason.
var reasons = []Pattern{
	NewPattern(`^(?:vet: )?[^\s:]+\.\w+(?::\d+(?::\d+)?:|\(\d+,\d+\):) .`), // compilers, with a place
	// Go's runtime, Rust, git, RSpec
	NewPattern(`^\s*(?:panic|fatal|fatal error|[Ee]rror|ERROR|Failure/Error)(?:\[\w+\])?: `),
	NewPattern(`^thread '.*' .*panicked at `), // Rust
	NewPattern(`^E {3,}\S`), // pytest
	NewPattern(`^\s*[\w.]*(?:Error|Exception)(?: \[\w+\])?: `), // Python, JavaScript, Java
	NewPattern(`^\s+Expected\b[^:]*: `),                        // Jest
	NewPattern(`^\s+\d+:\d+\s+error\s`),                        // ESLint
	NewPattern(`^got:$`),                                       // Go's examples
}

var (
	pytestSummary   = NewPattern(`^(?:FAILED|ERROR) \S+ - .`)
	pytestFrame     = NewPattern(`^\S+:\d+: in \S+$`) // a line of its traceback, the innermost last
	pytestSource    = NewPattern(`^E +File ".*", line \d+$`)
	pytestError     = NewPattern(`^E {3}\S`)
	goFailLine      = NewPattern(`^\s*--- FAIL: `)
	goLogLine       = NewPattern(`^\s+\S+\.go:\d+: .`)
	assertionWords  = NewPattern(`(?i)\b(?:got|want|wanted|expected|unexpected|fail\w*|error|not|no|should|must|panic)\b`)
	warning         = NewPattern(`(?i)warning\b`)
	unittestHeading = NewPattern(`^ERROR: \w+ \([\w.]+\)$`) // the heading of an error in Python's unittest

	// summaryLine matches the last lines of make, npm and go test, which say only that something failed.
	summaryLine = NewPattern(`^(?:\s*(?:FAIL(?:\s+\S+\s+\S+)?|exit\s+status\s+\S+)\s*$|` +
		`make(?:\[\d+\])?: \*\*\* \[|npm (?:ERR!|error)|error Command failed|Node\.js v|\s*ELIFECYCLE|FAILED(?: \(.*\))?$)`)
	npmError = NewPattern(`^npm (?:ERR!|error) (?:\w+ )?[A-Z]\w* .`)
	// nodeSummary matches the summary of node --test.
	nodeSummary = NewPattern(`(?:\n# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+)+\s*$`)
	// legend matches the key to a difference, and lines that only point at a column.
	legend = NewPattern(`^(?:[+-] (?:actual|expected) [+-] (?:actual|expected)|[\s^~|-]*)$`)
)

const (
	tapPrefix    = "# " // the prefix of a program's own output among TAP results
	maxContinued = 3    // the maximum number of lines of a reason after the first
)

// Reason returns why a program failed, as one line of its output: the first assertion or error, or else the last line.
func Reason(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimRight(lines[i], " \t\r"), tapPrefix)
	}
	if i := slices.IndexFunc(lines, pytestSummary().MatchString); i >= 0 {
		return lines[i]
	}
	if line := goTestMessage(lines); line != "" {
		return line
	}
	if i := slices.IndexFunc(lines, isReason); i >= 0 {
		return withPlace(lines, i)
	}
	for _, line := range slices.Backward(lines) {
		if strings.TrimSpace(line) != "" && !summaryLine().MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	at := slices.IndexFunc(lines, npmError().MatchString)
	if at < 0 {
		at = len(lines) - 1
	}
	return strings.TrimSpace(lines[at])
}

func isReason(line string) bool {
	line = strings.TrimPrefix(line, tapPrefix)
	return !warning().MatchString(line) && !unittestHeading().MatchString(line) && !pytestFrame().MatchString(line) &&
		slices.ContainsFunc(reasons, func(p Pattern) bool { return p().MatchString(line) })
}

// withPlace returns a reason with the lines that finish it, and an error of pytest with its place in the code.
func withPlace(lines []string, index int) string {
	text := strings.TrimSpace(strings.TrimPrefix(withContinuation(lines, index), "E "))
	if !strings.HasPrefix(lines[index], "E ") {
		return text
	}
	if pytestSource().MatchString(lines[index]) { // a syntax error: its code is between place and message
		if n := slices.IndexFunc(lines[index:], pytestError().MatchString); n >= 0 {
			return text + ": " + strings.TrimSpace(lines[index+n][1:])
		}
	}
	for _, line := range slices.Backward(lines[:index]) {
		if pytestFrame().MatchString(line) {
			return line[:strings.LastIndex(line, "in ")] + text
		}
	}
	return text
}

// goTestMessage returns the message of the first Go test that failed: below the line with its name, or with -v above it.
func goTestMessage(lines []string) string {
	for i, line := range lines {
		if !goFailLine().MatchString(line) {
			continue
		}
		from, to := i+1, i+1
		for to < len(lines) && goLogLine().MatchString(lines[to]) {
			to++
		}
		if from == to {
			for from, to = i, i; from > 0 && goLogLine().MatchString(lines[from-1]); from-- {
			}
		}
		said := lines[from:to]
		if len(said) == 0 {
			continue
		}
		if j := slices.IndexFunc(said, assertionWords().MatchString); j >= 0 {
			return strings.TrimSpace(said[j])
		}
		return strings.TrimSpace(said[len(said)-1])
	}
	return ""
}

// withContinuation returns a line together with the lines that finish it.
func withContinuation(lines []string, index int) string {
	text, remaining := strings.TrimSpace(lines[index]), maxContinued
	paragraph := strings.HasPrefix(text, "Expected")
	for _, line := range lines[index+1:] {
		line = strings.TrimSpace(line)
		open := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "|-") || strings.HasPrefix(line, "--> ")
		switch {
		case remaining == 0, strings.HasPrefix(line, "at "), !open && (!paragraph || line == ""):
			return text
		case line == "" || legend().MatchString(line):
			continue
		case open:
			text = strings.TrimSuffix(text, " |-") + " " + line
		default:
			text += ", " + line
		}
		paragraph = !strings.HasPrefix(line, "--> ")
		remaining--
	}
	return text
}

// nameNotFound matches the output of jest, vitest, rspec and dotnet, in this order, if no test has the requested name.
const nameNotFound = `^\s*Tests:?\s+\d+ skipped(?:,| \()|^All examples were filtered out|` +
	`^No test matches the given testcase filter`

// Outputs of test runners that ran no test, some, or none of the existing ones, and options that select tests.
var (
	noTests = NewPattern(`(?m)\[no test(?: files|s to run)\]$|^testing: warning: no tests to run$|^no tests ran\b|` +
		`^Ran 0 tests\b|^DONE 0 tests\b|^running 0 tests$|^(?:#|ℹ|\t<!--) tests 0(?: -->)?$|` +
		`# (?:SKIP )?test name does not match pattern$|<skipped .*test name does not match pattern"/>$|` +
		`^\s*0 passing\b|^0 examples, 0 failures|^No tests? (?:found|executed|were found|files found|matches)\b|` + nameNotFound)
	someTests = NewPattern(`(?m)^ok  \t\S+\t(?:[\d.]+s|\(cached\))(?:\t[^\[\n]*)?$|^Ran [1-9]\d* tests?\b|` +
		`^DONE [1-9]\d* tests\b|^running [1-9]\d* tests?$|^(?:#|ℹ|\t<!--) (?:pass|fail) [1-9]|^\s*[1-9]\d* passing\b|` +
		`\b[1-9]\d* (?:passed|failed|failing)\b|^--- FAIL: |^FAIL\t\S+\t[\d.]+s$`)
	noMatchingTest = NewPattern(`(?m)no tests to run|\b[1-9]\d* filtered out\b|test name does not match pattern|` + nameNotFound)
	selectsTests   = NewPattern(`\s(?:-run|--test-name-pattern|-g|--grep|-R)[ =]|\bunittest\b.*\s-[kp]`)
	selectsNoTest  = NewPattern(`(?i)\s-run[ =]['"]?(?:\^\$|none\b|xxx\b)`) // Go tests are compiled and deliberately not run
)

// RanTests reports whether the output s of a test runner shows that a test ran.
func RanTests(s string) bool { return someTests().MatchString(s) }

// RanNothing returns the line by which a test runner reports that it had no test to run; "" if there is none.
func RanNothing(s string) string {
	if RanTests(s) {
		return ""
	}
	at := noTests().FindStringIndex(s)
	if at == nil {
		return ""
	}
	begin := strings.LastIndexByte(s[:at[0]], '\n') + 1
	line, _, _ := strings.Cut(s[begin:], "\n")
	return strings.TrimSpace(line)
}

// SelectsNothing reports whether a command names tests, and by its output none of them exists.
func SelectsNothing(command, printed string) bool {
	return RanNothing(printed) != "" && !selectsNoTest().MatchString(command) &&
		(noMatchingTest().MatchString(printed) || selectsTests().MatchString(command))
}

// Excerpt returns at most the given number of lines of a failed program's output: around its reason, and the last ones.
func Excerpt(s string, most int) string {
	lines := strings.Split(strings.Trim(nodeSummary().ReplaceAllString(s, ""), "\n"), "\n")
	from := max(len(lines)-most, 0)
	if why := slices.IndexFunc(lines, isReason); why >= 0 && why < from {
		around := lines[max(why-most/3, 0) : why+1+most/5]
		return strings.Join(slices.Concat(around, []string{"..."}, lines[from+len(around)+1:]), "\n")
	}
	return strings.Join(lines[from:], "\n")
}
