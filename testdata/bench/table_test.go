package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// The output of go test becomes a table; a figure above its limit is marked, and a failed benchmark is not
// hidden.
func TestTable(t *testing.T) {
	const printed = `goos: linux
BenchmarkStart-4   	      20	         2.588 noplan/floor	         1.273 version/floor
BenchmarkRepositories/small-4  	 10	  14.000 gits/step	  60.5 ms/step	  3.72 ms/git-status
BenchmarkRepositories/files=50000-4  	 10	 159.9 ms/git-status	 0.25 status/git-status	 565.2 ms/step
BenchmarkRules/10000-4  	 10	 91000000 ns/op	 9100 ns/line
BenchmarkOutput/model/one_line-4  	 10	 20.5 MiB-memory
BenchmarkOutput/check/one_line-4  	 10	 35.5 MiB-memory
PASS
--- FAIL: BenchmarkPush
    bench_test.go:1: it failed
FAIL	example.com/x	1.0s
`
	var out strings.Builder
	if _, err := table(strings.NewReader(printed), &out, io.Discard, ""); err == nil {
		t.Error("a failed benchmark ends well")
	}
	for _, want := range []string{
		"--- FAIL: BenchmarkPush",
		"git processes of a step small 14 ABOVE 12",
		"git plan status / git status files=50000 0.25 <= 10",
		"git plan version / a program that imports the same 1.273 ABOVE 1.2",
		"rules on 10,000 changed lines, ms 91 <= 1000",
		"memory, 1 GB of session output, MiB check/one_line 35.5 <= 64",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// Counts and ratios are compared with the recorded ones; times are not, since they depend on the machine.
func TestRegressionsFail(t *testing.T) {
	const first = "BenchmarkRepositories/small-4 10 12.0 gits/step 60.0 ms/step 1.0 status/git-status\n"
	const second = "BenchmarkRepositories/small-4 10 14.0 gits/step 90.0 ms/step 1.1 status/git-status\n"
	var recorded, same, out strings.Builder
	if grown, err := table(strings.NewReader(first), io.Discard, &recorded, ""); err != nil || grown != nil {
		t.Fatal(grown, err)
	}
	if grown, err := table(strings.NewReader(first), io.Discard, &same, recorded.String()); err != nil || grown != nil || same.String() != recorded.String() {
		t.Errorf("the same: %q, %v, recorded as\n%s", grown, err, same.String())
	}
	grown, err := table(strings.NewReader(second), &out, io.Discard, recorded.String())
	if want := []string{"git processes of a step small"}; err != nil || !slices.Equal(grown, want) || !strings.Contains(out.String(), "WORSE than 12") {
		t.Errorf("%q, want %q; %v\n%s", grown, want, err, out.String())
	}
}
