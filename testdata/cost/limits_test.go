package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
	shared "github.com/git-plan/git-plan/testdata/repository"
)

// TestCostOfAPlanIsBounded: twelve steps take no more requests and tokens than a limit, and sessions of one
// role share a minimum of their first requests. make cost prints the table.
func TestCostOfAPlanIsBounded(t *testing.T) {
	race.Skip(t)
	if _, err := source(); err != nil {
		t.Skip(err) // no network, and the module was never fetched
	}
	shared.Reads(t, "cmd", "gitplan", "hooks", "reviewers")
	program := filepath.Join(t.TempDir(), "git-plan")
	if out, err := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-o", program, "../../cmd/git-plan").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := count12(program)
	if err != nil {
		t.Fatal(err)
	}
	exact := slices.DeleteFunc(limits(priced(s.requests, s.order), sharedBy(s)), func(l limit) bool { return !l.exact })
	for _, l := range exact {
		t.Logf("%s: %.2f of %.2f", l.what, l.got, l.most)
	}
	if err := exceeded(exact); err != nil {
		t.Errorf("%v\nmake cost COSTFLAGS='-keep DIR' keeps the requests", err)
	}
}
