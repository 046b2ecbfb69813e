package journal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// One process works on a plan at a time; others can read which, and on which step.
func TestOneHolder(t *testing.T) {
	_, s, d := storeIn(t)
	if _, busy := Working(s.Repo, d.ID); busy {
		t.Fatal("the lock is held before it was taken")
	}
	l, err := Acquire(s.Repo, d.ID, "run")
	if err != nil {
		t.Fatal(err)
	}
	l.Report(Notice{Kind: StepStart, Step: "a"})
	if h, busy := Working(s.Repo, d.ID); !busy || h.Command != "run" || len(h.Open) != 1 || h.Open[0].Step != "a" || h.PID != os.Getpid() || h.Name() == "" {
		t.Errorf("the holder is %+v, %t", h, busy)
	}
	if _, err := Acquire(s.Repo, d.ID, "step"); !errors.Is(err, fault.ErrBusy) || !strings.Contains(err.Error(), "git plan run") {
		t.Errorf("a second one: %v", err)
	}
	l.Release()
	if _, busy := Working(s.Repo, d.ID); busy {
		t.Error("the lock is held after it was released")
	}
	if _, err := os.Stat(feedPath(s.Repo, d.ID)); err == nil {
		t.Error("the feed is still there")
	}
	again, err := Acquire(s.Repo, d.ID, "step")
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}

// An editor of the text waits until no session works from it, and can give up.
func TestWaitText(t *testing.T) {
	_, s, d := storeIn(t)
	first, err := WaitText(t.Context(), s.Repo, d.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := WaitText(ctx, s.Repo, d.ID, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("it waited, and then: %v", err)
	}
	first.Close()
	second, err := WaitText(t.Context(), s.Repo, d.ID, func() { t.Error("it waits for unknown") })
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// A session may have forged the holder of the lock: no other program gets a signal.
func TestOtherProgramsAreNotStopped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what program a process runs is known by /proc alone")
	}
	_, s, d := storeIn(t)
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	for _, who := range []Holder{{PID: other.Process.Pid, Start: proc.StartTime(other.Process.Pid), Host: host}, {PID: -other.Process.Pid, Host: host}} {
		if err := StopNow(t.Context(), s.Repo, d.ID, who); !errors.Is(err, fault.ErrBusy) || !strings.Contains(err.Error(), "no longer there") {
			t.Errorf("pid %d: %v", who.PID, err)
		}
	}
	if proc.StartTime(other.Process.Pid) == "" {
		t.Error("it was ended")
	}
	_ = other.Process.Kill()
	_ = other.Wait()
}

// A git that is still running after its git plan died is waited for, and the lock of a dead one is removed; a
// lock created before or long after it is not.
func TestDeadLockHolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sleep program here")
	}
	_, s, d := storeIn(t)
	slow := exec.Command("sleep", "60")
	if err := slow.Start(); err != nil {
		t.Fatal(err)
	}
	pid := slow.Process.Pid
	locked := filepath.Join(s.Repo.CommonDir, filepath.FromSlash(RefPrefix+d.ID)+".lock")
	index := s.Repo.IndexFile() + ".lock"
	for path, age := range map[string]time.Duration{locked: time.Minute, index: time.Hour, s.Repo.GitDir + "/HEAD.lock": 0} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	child := Child{pid, proc.StartTime(pid), time.Now().Add(-time.Minute)}
	dead := Holder{PID: pid, Since: time.Now().Add(-2 * time.Hour), GitDir: s.Repo.GitDir, Children: []Child{child}}
	_ = slow.Process.Kill()
	_ = slow.Wait()
	if err := awaitOrphans(s.Repo, d.ID, dead); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(locked); err == nil {
		t.Error("its lock file is still there")
	}
	if locks := s.Repo.Locks(); len(locks) != 2 {
		t.Errorf("the locks of others: %v", locks)
	}
}

// A lock file whose holder may be alive stays, and is named; one in a session's own clone counts as unknown
// once the session has ended.
func TestFreeOfLocks(t *testing.T) {
	dir, s, _ := storeIn(t)
	if err := FreeOfLocks(s.Repo); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, ".git", "index.lock")
	if err := os.WriteFile(index, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var f *fault.Fault
	if err := FreeOfLocks(s.Repo); !errors.Is(err, git.ErrLocked) || !errors.As(err, &f) || f.Path != index {
		t.Errorf("a person's lock: %v", err)
	}
	s.Repo.PrivateWorktree = true
	if err := FreeOfLocks(s.Repo); err != nil {
		t.Errorf("a session's lock: %v", err)
	}
	if _, err := os.Stat(index); err == nil {
		t.Error("it is still there")
	}
}

// State files are where no session can write.
func TestNotes(t *testing.T) {
	_, s, _ := storeIn(t)
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	notes := NotesOf(s.Repo, "tests")
	n := notes.Note("a" + NoteExt)
	if _, err := n.Read(); err == nil {
		t.Fatal("there is a note")
	}
	if err := n.Save([]string{"a\xffb"}); err != nil {
		t.Fatal(err)
	}
	var back []string
	if err := n.Load(&back); err != nil || !slices.Equal(back, []string{"a\xffb"}) {
		t.Errorf("it says %q, %v", back, err)
	}
	if !strings.HasPrefix(n.Path, state) {
		t.Errorf("it is kept in %s", n.Path)
	}
	n.Remove()
	if _, err := os.Stat(notes.Dir); err == nil {
		t.Error("its folder is still there")
	}
}

// A marker says that a plan has something to do for git's hooks.
func TestMarks(t *testing.T) {
	_, s, _ := storeIn(t)
	MarkOpen.Set(s.Repo, "p")
	MarkOpen.Set(s.Repo, "q")
	if got := MarkOpen.Plans(s.Repo); !slices.Equal(got, []string{"p", "q"}) {
		t.Errorf("the marks are %v", got)
	}
	MarkOpen.Clear(s.Repo, "p")
	MarkOpen.Clear(s.Repo, "q")
	if _, err := os.Stat(s.Repo.PlanDir(string(MarkOpen))); err == nil {
		t.Error("the folder of marks is still there")
	}
}

// A tip is trusted if its predecessor was, and only the last few are kept.
func TestTrustedTips(t *testing.T) {
	_, s, d := storeIn(t)
	if tips := TrustedTips(s.Repo, d.ID); !slices.Equal(tips, []string{d.Tip}) {
		t.Fatalf("the tips are %v, want %s", tips, d.Tip)
	}
	if err := TrustTip(s.Repo, d.ID, "unknown", "forged"); err != nil {
		t.Fatal(err)
	}
	before := d.Tip
	for i := range 2 * keptTips {
		tip := strings.Repeat(string(rune('a'+i%26)), 8)
		if err := TrustTip(s.Repo, d.ID, before, tip); err != nil {
			t.Fatal(err)
		}
		before = tip
	}
	tips := TrustedTips(s.Repo, d.ID)
	if len(tips) != keptTips || tips[keptTips-1] != before || slices.Contains(tips, "forged") {
		t.Errorf("the tips are %v", tips)
	}
	for i := range 2 * keptTips { // the ref cannot be moved there
		if err := TrustTip(s.Repo, d.ID, before, strings.Repeat(string(rune('A'+i%26)), 8)); err != nil {
			t.Fatal(err)
		}
	}
	if tips := TrustedTips(s.Repo, d.ID); !slices.Equal(tips[keptTips-2:], []string{before, "PPPPPPPP"}) {
		t.Errorf("after many that the ref never was at, the tips are %v", tips)
	}
	if !s.IsPlanCommit(t.Context(), d.Tip) || s.IsPlanCommit(t.Context(), "HEAD") {
		t.Error("which commits are a plan's is not known")
	}
}

// Without user.name in git's configuration a plan is stored, but nothing is committed in a person's name.
func TestWho(t *testing.T) {
	t.Setenv("GIT_COMMITTER_DATE", "1700000000 +0100")
	_, s, _ := storeIn(t)
	if err := s.KnowsWho(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Load(t.Context(), "nothing-0000"); !errors.Is(err, fault.ErrPlanGone) {
		t.Errorf("a plan that is not there: %v", err)
	}
	fresh := NewStore(s.Repo)
	if who, err := fresh.Who(t.Context()); err != nil || !strings.HasSuffix(string(who), "> 1700000000 +0100") {
		t.Errorf("who is %q, %v", who, err)
	}
	fresh.identity = unknown
	if err := fresh.KnowsWho(t.Context()); !errors.Is(err, fault.ErrNoIdentity) {
		t.Errorf("unknown: %v", err)
	}
}
