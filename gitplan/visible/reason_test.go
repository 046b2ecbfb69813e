package visible

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In real programs' output, the line is chosen that says why they failed.
func TestReason(t *testing.T) {
	for name, want := range map[string]string{
		"cargo-build":    "error[E0308]: mismatched types --> src/lib.rs:1:21",
		"cargo-test":     "thread 'tests::it_works' (1297) panicked at src/lib.rs:3:51: assertion `left == right` failed, left: 6, right: 5",
		"eslint":         "2:1  error  Parsing error: Unexpected token",
		"go-build":       "b/b.go:2:29: undefined: nope",
		"go-example":     "got: a, want: b",
		"go-panic":       "panic: assignment to entry in nil map [recovered, repanicked]",
		"go-test-v":      "calc_test.go:3: Add(1, 1) = 0, want 2",
		"go-test":        "calc_test.go:3: Add(1, 1) = 0, want 2",
		"go-vet":         "vet: b/b.go:2:29: undefined: nope",
		"jest":           "Expected: 3, Received: 2",
		"make-go":        "calc_test.go:3: Add(1, 1) = 0, want 2",
		"make-none":      "make: *** No rule to make target 'nope'.  Stop.",
		"make":           "false",
		"mocha":          "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 2 !== 3",
		"node-assert":    "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: + 'abab', - 'ababab'",
		"node-syntax":    "SyntaxError: Unexpected token ';'",
		"node-test":      "error: Expected values to be strictly equal: 2 !== 3",
		"npm-none":       "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/u/x/package.json'",
		"npm":            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: + 'abab', - 'ababab'",
		"pytest-import":  "test_weeks.py:1: ImportError: cannot import name 'days' from 'weeks' (/home/u/x/weeks.py)",
		"pytest-syntax":  "File \"/home/u/x/weeks.py\", line 1: SyntaxError: '(' was never closed",
		"pytest-none":    "ERROR: file or directory not found: nosuch.py",
		"pytest-q":       "FAILED test_calc.py::test_adds - assert (1 + 1) == 3",
		"pytest":         "FAILED test_calc.py::test_adds - assert (1 + 1) == 3",
		"python":         "ModuleNotFoundError: No module named 'nope'",
		"sh":             "cat: nosuch: No such file or directory",
		"tsc":            "ts/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
		"unittest-error": "ImportError: cannot import name 'sub' from 'calc' (calc.py)",
		"unittest":       "AssertionError: 2 != 3",
		"vitest":         "AssertionError: expected 2 to be 3 // Object.is equality",
	} {
		text, err := os.ReadFile(filepath.Join("../../testdata/failures", name+".txt"))
		if err != nil {
			t.Error(err)
		} else if got := Reason(string(text)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if all, err := filepath.Glob("../../testdata/failures/*.txt"); err != nil || len(all) != 30 {
		t.Errorf("%d recordings, %v: each has a row here", len(all), err)
	}
	for text, want := range map[string]string{
		"":                     "",
		"one\ntwo\n":           "two",
		"it is half\nFAILED\n": "it is half",
		"FAILED\n":             "FAILED",
		"npm error Missing script: \"x\"\nnpm error\nnpm error A complete log of":                   "npm error Missing script: \"x\"",
		"it is half\nmake: *** [x:1: y] Error 1":                                                    "it is half",
		"a.c:1:2: warning: unused\na.c:3:4: error: no such thing":                                   "a.c:3:4: error: no such thing",
		"x_test.go:1: \n\tError:      \tNot equal: \n\t\texpected: 1\n\t\tactual  : 2\n\n\tTest: T": "Error:      \tNot equal: expected: 1, actual  : 2",
	} {
		if got := Reason(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A test runner that had nothing to run says so in one of its lines.
func TestRanNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"fine":                                "",
		"?   \tx/a\t[no test files]\n":        "?   \tx/a\t[no test files]",
		"ok  \tx/b\t0.1s [no tests to run]\n": "ok  \tx/b\t0.1s [no tests to run]",
		"?   \tx/a\t[no test files]\nok  \tx/b\t0.003s\n":                                        "",
		"?   \tx/a\t[no test files]\nok  \tx/b\t(cached)\n":                                      "",
		"ok  \tx/b\t0.003s\tcoverage: 80.0% of statements\n?   \tx/a\t[no test files]":           "",
		"\nRan 0 tests in 0.000s\n\nOK":                                                          "Ran 0 tests in 0.000s",
		"running 0 tests\n\ntest result: ok. 0 passed":                                           "running 0 tests",
		"running 0 tests\nrunning 3 tests\n":                                                     "",
		"TAP version 13\n1..0\n# tests 0\n":                                                      "# tests 0",
		"FAIL\tx/a\t0.003s\n?   \tx/b\t[no test files]\n":                                        "",
		"?   \tx/b\t[no test files]\n--- FAIL: TestA (0.00s)\n":                                  "",
		"FAIL\tx/a [build failed]\n?   \tx/b\t[no test files]\n":                                 "?   \tx/b\t[no test files]",
		"No tests found, exiting with code 0":                                                    "No tests found, exiting with code 0",
		"ok 1 - one # SKIP test name does not match pattern\n# tests 1\n# pass 0\n# skipped 1\n": "ok 1 - one # SKIP test name does not match pattern",
		"ℹ tests 0\nℹ pass 0\n":                                                                  "ℹ tests 0",
		"# tests 2\n# pass 1\n# fail 0\n# skipped 1\n":                                           "",
		"0 examples, 0 failures\n":                                                               "0 examples, 0 failures",
		"∅  x/a (2ms)\n\nDONE 0 tests in 0.4s\n":                                                 "DONE 0 tests in 0.4s",
		"ok  \tx/b\t0.1s [no tests to run]\nok  \tx/a\t1s\n":                                     "",
	} {
		if got := RanNothing(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A command that looks for tests by name, or in files of tests, and finds none selects nothing; one of a project without
// tests, or that only compiles them, does something else.
func TestSelectsNothing(t *testing.T) {
	const noFiles, noTests = "?   \tx/a\t[no test files]\n", "testing: warning: no tests to run\nok  \tx/a\t0.1s [no tests to run]\n"
	const cargo = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s\n"
	for _, tt := range []struct {
		command, printed string
		want             bool
	}{
		{"go test ./...", noFiles, false},
		{"go test ./...", noTests, true},
		{"go test -run TestA ./a", noTests, true},
		{"python3 -m unittest -k overspent", "\nRan 0 tests in 0.000s\n\nOK\n", true},
		{"python3 -m unittest discover -s . -p 'test_over*.py'", "\nRan 0 tests in 0.000s\n\nOK\n", true},
		{"python3 -m unittest", "\nRan 0 tests in 0.000s\n\nOK\n", false},
		{"npx jest -t over", "Test Suites: 1 skipped, 0 of 1 total\nTests:       2 skipped, 2 total\n", true},
		{"npx jest -t over", "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 1 passed, 2 total\n", false},
		{"npx vitest run -t over", " Test Files  1 skipped (1)\n      Tests  1 skipped (1)\n", true},
		{"npx vitest run", " Test Files  2 passed (2)\n      Tests  1 skipped | 3 passed (4)\n", false},
		{"npx vitest run", " Test Files  2 passed (2)\n      Tests  3 passed (3)\n", false},
		{"rspec -e over", "Run options: include {:full_description=>/over/}\n\nAll examples were filtered out\n\n0 examples, 0 failures\n", true},
		{"ctest -R over", "No tests were found!!!\n", true},
		{"go test -run=TestA ./a", noFiles, true},
		{"go test -run TestA ./...", noTests + "ok  \tx/b\t0.003s\n", false},
		{"go test -run '^$' ./...", noTests, false},
		{"go test ./... -run=NONE", noTests, false},
		{"cargo test rounds", cargo, true},
		{"cargo test rounds", "running 1 test\n" + cargo, false},
		{"cargo test", strings.Replace(cargo, "2 filtered", "0 filtered", 1), false},
		{"node --test --test-name-pattern=a", "# tests 0\n", true},
		{"npm test", "ok 1 - one # SKIP test name does not match pattern\n# tests 1\n# pass 0\n", true},
		{"node --test", "# tests 0\n", false},
		{"node --test --test-reporter=junit --test-name-pattern=a", "<testsuites>\n\t<!-- tests 0 -->\n\t<!-- pass 0 -->\n</testsuites>\n", true},
		{"npm test", "\t\t<skipped type=\"skipped\" message=\"test name does not match pattern\"/>\n\t<!-- tests 1 -->\n\t<!-- pass 0 -->\n", true},
		{"npm test", "\t\t<skipped type=\"skipped\" message=\"test name does not match pattern\"/>\n\t<!-- tests 2 -->\n\t<!-- pass 1 -->\n", false},
		{"mocha --grep rounds", "  0 passing (1ms)\n", true},
		{"make -run", "fine\n", false},
	} {
		if got := SelectsNothing(tt.command, tt.printed); got != tt.want {
			t.Errorf("%s: %q: %v", tt.command, tt.printed, got)
		}
	}
}
