package visible

import (
	"slices"
	"strings"
)

// Lines that say by themselves why a program failed: the first of them is the reason.
var reasons = []*Pattern{
	NewPattern(`^(?:vet: )?[^\s:]+\.\w+(?::\d+(?::\d+)?:|\(\d+,\d+\):) .`),                   // compilers, with a place
	NewPattern(`^\s*(?:panic|fatal|fatal error|[Ee]rror|ERROR|Failure/Error)(?:\[\w+\])?: `), // Go's runtime, Rust, git, RSpec
	NewPattern(`^thread '.*' .*panicked at `),                                                // Rust
	NewPattern(`^E {3,}\S`), // pytest
	NewPattern(`^\s*[\w.]*(?:Error|Exception)(?: \[\w+\])?: `), // Python, JavaScript, Java
	NewPattern(`^\s+Expected\b[^:]*: `),                        // Jest
	NewPattern(`^\s+\d+:\d+\s+error\s`),                        // ESLint
	NewPattern(`^got:$`),                                       // Go's examples
}

var (
	pytestSummary = NewPattern(`^(?:FAILED|ERROR) \S+ - .`)
	goFails       = NewPattern(`^\s*--- FAIL: `)
	goSays        = NewPattern(`^\s+\S+\.go:\d+: .`)
	goAsserts     = NewPattern(`(?i)\b(?:got|want|wanted|expected|unexpected|fail\w*|error|not|no|should|must|panic)\b`)
	warns         = NewPattern(`(?i)warning\b`)
	titles        = NewPattern(`^ERROR: \w+ \([\w.]+\)$`) // unittest: the name of a test that could not end

	// What programs that run others say about it, at the end, and go test, which says no more than that something failed.
	ends = NewPattern(`^(?:\s*(?:FAIL(?:\s+\S+\s+\S+)?|exit\s+status\s+\S+)\s*$|` +
		`make(?:\[\d+\])?: \*\*\* \[|npm (?:ERR!|error)|error Command failed|Node\.js v|\s*ELIFECYCLE|FAILED(?: \(.*\))?$)`)
	npmSays = NewPattern(`^npm (?:ERR!|error) (?:\w+ )?[A-Z]\w* .`)
	counts  = NewPattern(`(?:\n# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+)+\s*$`) // node --test
	// What shows how to read a difference, or only points at a column.
	legend = NewPattern(`^(?:[+-] (?:actual|expected) [+-] (?:actual|expected)|[\s^~|-]*)$`)
)

const (
	tap           = "# " // how TAP marks what a program printed, beside its results
	mostContinued = 3    // lines of a reason after its first one
)

// Reason returns why a program failed, as one line of its output: the first assertion or error, or else the last line.
func Reason(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimRight(lines[i], " \t\r"), tap)
	}
	if i := slices.IndexFunc(lines, pytestSummary.MatchString); i >= 0 {
		return lines[i]
	}
	if line := goTest(lines); line != "" {
		return line
	}
	if i := slices.IndexFunc(lines, saysWhy); i >= 0 {
		return strings.TrimSpace(strings.TrimPrefix(continued(lines, i), "E "))
	}
	for _, line := range slices.Backward(lines) {
		if strings.TrimSpace(line) != "" && !ends.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	at := slices.IndexFunc(lines, npmSays.MatchString)
	if at < 0 {
		at = len(lines) - 1
	}
	return strings.TrimSpace(lines[at])
}

func saysWhy(line string) bool {
	line = strings.TrimPrefix(line, tap)
	return !warns.MatchString(line) && !titles.MatchString(line) &&
		slices.ContainsFunc(reasons, func(p *Pattern) bool { return p.MatchString(line) })
}

// goTest returns what the first test of Go that failed says, below the line with its name, or with -v above it.
func goTest(lines []string) string {
	for i, line := range lines {
		if !goFails.MatchString(line) {
			continue
		}
		from, to := i+1, i+1
		for to < len(lines) && goSays.MatchString(lines[to]) {
			to++
		}
		if from == to {
			for from, to = i, i; from > 0 && goSays.MatchString(lines[from-1]); from-- {
			}
		}
		said := lines[from:to]
		if len(said) == 0 {
			continue
		}
		if j := slices.IndexFunc(said, goAsserts.MatchString); j >= 0 {
			return strings.TrimSpace(said[j])
		}
		return strings.TrimSpace(said[len(said)-1])
	}
	return ""
}

// continued returns a line together with the lines that finish it.
func continued(lines []string, at int) string {
	text, left := strings.TrimSpace(lines[at]), mostContinued
	paragraph := strings.HasPrefix(text, "Expected")
	for _, line := range lines[at+1:] {
		line = strings.TrimSpace(line)
		open := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "|-") || strings.HasPrefix(line, "--> ")
		switch {
		case left == 0, strings.HasPrefix(line, "at "), !open && (!paragraph || line == ""):
			return text
		case line == "" || legend.MatchString(line):
			continue
		case open:
			text = strings.TrimSuffix(text, " |-") + " " + line
		default:
			text += ", " + line
		}
		paragraph = !strings.HasPrefix(line, "--> ")
		left--
	}
	return text
}

// noneOf is what jest, vitest, rspec and dotnet print, in this order, if no name of a test is the one that was asked for.
const noneOf = `^\s*Tests:?\s+\d+ skipped(?:,| \()|^All examples were filtered out|^No test matches the given testcase filter`

// What test runners print that ran no test, that ran some, and that ran none of those that are there.
var (
	noTests = NewPattern(`(?m)\[no test(?: files|s to run)\]$|^testing: warning: no tests to run$|^no tests ran\b|` +
		`^Ran 0 tests\b|^DONE 0 tests\b|^running 0 tests$|^(?:#|ℹ|\t<!--) tests 0(?: -->)?$|` +
		`# (?:SKIP )?test name does not match pattern$|<skipped .*test name does not match pattern"/>$|` +
		`^\s*0 passing\b|^0 examples, 0 failures|^No tests? (?:found|executed|were found|files found|matches)\b|` + noneOf)
	someTests = NewPattern(`(?m)^ok  \t\S+\t(?:[\d.]+s|\(cached\))(?:\t[^\[\n]*)?$|^Ran [1-9]\d* tests?\b|` +
		`^DONE [1-9]\d* tests\b|^running [1-9]\d* tests?$|^(?:#|ℹ|\t<!--) (?:pass|fail) [1-9]|^\s*[1-9]\d* passing\b|` +
		`\b[1-9]\d* (?:passed|failed|failing)\b|^--- FAIL: |^FAIL\t\S+\t[\d.]+s$`)
	noneOfThem  = NewPattern(`(?m)no tests to run|\b[1-9]\d* filtered out\b|test name does not match pattern|` + noneOf)
	selects     = NewPattern(`\s(?:-run|--test-name-pattern|-g|--grep|-R)[ =]|\bunittest\b.*\s-[kp]`)
	selectsNone = NewPattern(`(?i)\s-run[ =]['"]?(?:\^\$|none\b|xxx\b)`) // only compiles the tests of Go
)

// RanTests reports whether a test runner says that it ran a test.
func RanTests(s string) bool { return someTests.MatchString(s) }

// RanNothing returns the line by which a test runner reports that it had no test to run; "" if there is none.
func RanNothing(s string) string {
	if RanTests(s) {
		return ""
	}
	at := noTests.Compiled().FindStringIndex(s)
	if at == nil {
		return ""
	}
	begin := strings.LastIndexByte(s[:at[0]], '\n') + 1
	line, _, _ := strings.Cut(s[begin:], "\n")
	return strings.TrimSpace(line)
}

// SelectsNothing reports whether a command looked for tests, and none was there that it selects.
func SelectsNothing(command, printed string) bool {
	return RanNothing(printed) != "" && !selectsNone.MatchString(command) &&
		(noneOfThem.MatchString(printed) || selects.MatchString(command))
}

// Excerpt returns at most so many lines of what a failed program printed: its last ones without counts of tests, below
// those around its reason.
func Excerpt(s string, most int) string {
	lines := strings.Split(strings.Trim(counts.Compiled().ReplaceAllString(s, ""), "\n"), "\n")
	from := max(len(lines)-most, 0)
	if why := slices.IndexFunc(lines, saysWhy); why >= 0 && why < from {
		around := lines[max(why-most/3, 0) : why+1+most/5]
		return strings.Join(slices.Concat(around, []string{"..."}, lines[from+len(around)+1:]), "\n")
	}
	return strings.Join(lines[from:], "\n")
}
