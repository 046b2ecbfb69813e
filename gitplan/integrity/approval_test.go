//go:build unix

package integrity

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
)

func parsed(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Parse([]byte(text))
	fine(t, err)
	return p
}

// An approval covers what the plan does: boxes may be ticked and its title may change, the work may not; the
// title of a step without a body is work.
func TestScopeOfAnApproval(t *testing.T) {
	at := scene(t)
	for text, want := range map[string]bool{thePlan: true, strings.Replace(thePlan, "[ ]", "[x]", 1): true, thePlan + "- [ ] **b** {#b}\n": false, strings.Replace(thePlan, "# T", "# U", 1): true, strings.Replace(thePlan, "**a**", "**A**", 1): false, thePlan + "  - Do: something else\n": false} {
		if got, err := IsApproved(at.Repo, theID, parsed(t, text)); got != want || err != nil {
			t.Errorf("%q is approved: %v, %v", text, got, err)
		}
	}
	fine(t, Brought(at.Repo, theID))
	for text, want := range map[string]bool{thePlan: true, strings.Replace(thePlan, "**a**", "**A**", 1): false} { // its author is unknown
		if got, err := IsApproved(at.Repo, theID, parsed(t, text)); got != want || err != nil {
			t.Errorf("of what was fetched %q is approved: %v, %v", text, got, err)
		}
	}
	if got, err := ApprovedMeaning(at.Repo, "u-2222"); got != nil || err != nil {
		t.Errorf("of another plan %q was approved, %v", got, err)
	}
	if err := Approve(at.Repo, theID, []byte("no plan")); err == nil {
		t.Error("an invalid plan is approved")
	}
	fine(t, Revoke(at.Repo, theID), Revoke(at.Repo, theID)) // an unapproved text stays so
	if got, err := IsApproved(at.Repo, theID, parsed(t, thePlan)); got || err != nil {
		t.Errorf("after it was revoked it is approved: %v, %v", got, err)
	}
	note := approvalNote(at.Repo, theID).Path
	fine(t, os.MkdirAll(note, 0o700), os.WriteFile(filepath.Join(note, "x"), nil, 0o600))
	if err := Revoke(at.Repo, theID); err != nil {
		t.Errorf("a folder as an approval: %v", err)
	}
}

// A record of a session's changes prevents git from running what is configured, until they are reverted or a
// person approves the plan.
func TestRecordHoldsUntilAPersonApproves(t *testing.T) {
	for name, remedy := range map[string]func(at Target){
		"approved":           func(at Target) { fine(t, Approve(at.Repo, theID, []byte(thePlan))) },
		"undone":             func(Target) { session(t, "git config --unset core.pager; rm .git/hooks/post-commit") },
		"dropped":            func(at Target) { Forget(at.Repo, "", "main") },
		"another plan's":     nil,
		"undone in one part": nil,
	} {
		at := scene(t)
		before := at.Read()
		rec, err := at.Record(before, "a", "s-1")
		fine(t, err, Trusted(t.Context(), at.Repo))
		session(t, "git config core.pager evil; echo x >.git/hooks/post-commit")
		fine(t, Trusted(t.Context(), at.Repo)) // its own session is compared by the process that runs it
		changed, err := at.End(t.Context(), rec)
		if len(changed) != 2 || err != nil {
			t.Fatalf("changed: %v, %v", changed, err)
		}
		err = Trusted(t.Context(), at.Repo)
		if !errors.Is(err, fault.ErrSetupUnseen) || !strings.Contains(err.Error(), ".git/hooks/post-commit, the configuration (core.pager) changed during the session at step a on branch main") {
			t.Errorf("%s: %v", name, err)
		}
		switch name {
		case "another plan's":
			Forget(at.Repo, "u-2222", "other")
		case "undone in one part":
			session(t, "git config --unset core.pager; git config user.name mine") // the rest is the person's
		default:
			remedy(at)
		}
		if err := Trusted(t.Context(), at.Repo); (err == nil) != (remedy != nil) {
			t.Errorf("%s: %v", name, err)
		}
		t.Chdir("/")
	}
}
