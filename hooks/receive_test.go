package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/testdata/hooked"
	"github.com/git-plan/git-plan/testdata/race"
)

// TestARepositoryRefusesWhatTheGateStops: what the gate of a client stops, a bare repository
// refuses from a client without a gate, by either hook, and takes the rest.
func TestARepositoryRefusesWhatTheGateStops(t *testing.T) {
	race.Skip(t)
	top, err := filepath.Abs("..")
	hooked.Must(t, err)
	program := filepath.Join(t.TempDir(), "git-plan")
	if e := hooked.Run(t, top, "", "go", "build", "-tags", "urfave_cli_no_docs", "-o", program, "./cmd/git-plan"); e.Code != 0 {
		t.Fatal(e.Stderr)
	}
	b := shaped(t)
	hooked.Must(t, os.Remove(b.Hook())) // of the client
	hooked.Git(t, b.Remote, "config", "receive.denyDeleteCurrent", "ignore")
	hooked.Git(t, b.Remote, "symbolic-ref", "HEAD", "refs/heads/main")
	kept := b.Remote + ".kept"
	hooked.Must(t, os.Rename(b.Remote, kept))
	for _, row := range shapes() {
		for _, by := range []struct{ mode, hook string }{{"warn", "pre-receive"}, {"block", "pre-receive"}, {"block", "update"}} {
			if by.hook == "update" && strings.HasSuffix(row.push, "refs/stash") {
				continue // which git itself refuses, before it asks
			}
			hooked.Must(t, os.RemoveAll(b.Remote))
			hooked.Must(t, os.CopyFS(b.Remote, os.DirFS(kept)))
			hooked.Git(t, b.Remote, "config", "plan.prePush", by.mode)
			hooked.Write(t, filepath.Join(b.Remote, "hooks", by.hook), "#!/bin/sh\nexec "+program+" hooks receive \"$@\"\n", 0o755)
			before := hooked.Git(t, b.Remote, "for-each-ref")
			e := hooked.Run(t, b.Repo, "", "git", append([]string{"push"}, row.args()...)...)
			refused := strings.Contains(e.Stderr, "git plan: the push is refused")
			if want := row.ends == stopsAll || row.ends == blocks && by.mode == "block"; refused != want || refused && e.Code == 0 {
				t.Errorf("%s, %v: refused %v, want %v, exit code %d:\n%s", row.push, by, refused, want, e.Code, e.Stderr)
			}
			if strings.Contains(e.Stderr, token()) && !strings.Contains(row.push, token()) {
				t.Errorf("%s, %v: it prints the secret:\n%s", row.push, by, e.Stderr)
			}
			if now := hooked.Git(t, b.Remote, "for-each-ref"); refused && by.hook == "pre-receive" && now != before {
				t.Errorf("%s, %v: refs moved:\n%s", row.push, by, now)
			}
		}
	}
}

func TestWhatGitWritesForPreReceive(t *testing.T) {
	zeros, oid := strings.Repeat("0", 40), strings.Repeat("a", 40)
	got, err := hooks.ParseReceive(strings.NewReader(zeros + " " + oid + " refs/heads/x\n"))
	if err != nil || len(got) != 1 || !got[0].New() || got[0].LocalOID != oid || got[0].RemoteRef != "refs/heads/x" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"x\n", oid + " " + oid + " x\n", oid + " " + oid + "\n", "\n"} {
		if _, err := hooks.ParseReceive(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
