package reviewers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// signs gives the person a key that this repository trusts, and the second one, which it does not.
func (b *feature) signs() (own, foreign string) {
	b.T.Helper()
	dir := b.T.TempDir()
	own, foreign = filepath.Join(dir, "own"), filepath.Join(dir, "foreign")
	for _, key := range []string{own, foreign} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).CombinedOutput(); err != nil {
			b.T.Skipf("needs ssh-keygen: %v %s", err, out)
		}
	}
	public, err := os.ReadFile(own + ".pub")
	if err != nil {
		b.T.Fatal(err)
	}
	trusted := filepath.Join(dir, "trusted")
	if err := os.WriteFile(trusted, append([]byte("tester@example.com "), public...), 0o600); err != nil {
		b.T.Fatal(err)
	}
	b.Git("config", "gpg.format", "ssh")
	b.Git("config", "gpg.ssh.allowedSignersFile", trusted)
	b.Git("config", "user.signingKey", own)
	return own, foreign
}

// A verdict travels as a commit that the person's key has signed, about one difference of trees; any
// other commit is none.
func TestAVerdictIsSigned(t *testing.T) {
	b, id := found(t)
	_, foreign := b.signs()
	if _, _, err := Sign(t.Context(), b.opened()); !errors.Is(err, fault.ErrNotReviewed) {
		t.Errorf("what blocks is signed: %v", err)
	}
	if _, err := Dismiss(t.Context(), b.opened(), id, "meant"); err != nil {
		t.Fatal(err)
	}
	commit, ref, err := Sign(t.Context(), b.opened())
	if err != nil || ref != SignedPrefix+b.Git("rev-parse", "HEAD^{tree}") {
		t.Fatalf("%s %s %v", commit, ref, err)
	}
	s, err := ReadSigned(t.Context(), b.opened(), commit)
	if err != nil || s.End != ledger.Explained || s.Dismissed[id].Why != "meant" {
		t.Fatalf("%+v, %v", s, err)
	}
	base, head := b.Git("rev-parse", "main^{tree}"), b.Git("rev-parse", "HEAD^{tree}")
	for _, row := range []struct {
		base, head string
		bar        finding.Severity
		want       bool
	}{{base, head, s.BlockOn, true}, {base, head, finding.Critical, true}, {base, head, finding.Low, false}, {head, head, s.BlockOn, false}, {base, base, s.BlockOn, false}} {
		if got := s.Covers(row.base, row.head, row.bar); got != row.want {
			t.Errorf("%+v: covers is %v", row, got)
		}
	}

	b.Git("config", "user.signingKey", foreign)
	other, _, err := Sign(t.Context(), b.opened())
	if err != nil {
		t.Fatal(err)
	}
	for name, commit := range map[string]string{"a foreign key": other, "a commit of the branch": b.Git("rev-parse", "HEAD"), "a tree": head, "nothing": "0123456789012345678901234567890123456789"} {
		if s, err := ReadSigned(t.Context(), b.opened(), commit); err == nil {
			t.Errorf("%s is a verdict: %+v", name, s)
		}
	}
	b.Git("config", "user.signingKey", foreign+".gone")
	if _, _, err := Sign(t.Context(), b.opened()); !errors.Is(err, fault.ErrCannotSign) {
		t.Errorf("without a key: %v", err)
	}
}
