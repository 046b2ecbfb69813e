package journal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/repository"
)

// storeIn returns a store in a fresh repository with one plan.
func storeIn(t *testing.T, init ...string) (dir string, s *Store, d *Document) {
	t.Helper()
	dir = repository.New(t, init...)
	s = openStore(t, dir)
	d, err := s.Create(t.Context(), []byte("# Race\n\n## Steps\n\n- [ ] **A** {#a}\n- [ ] **B** {#b}\n"), "main", "", Event{Start: None, By: ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	return dir, s, d
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return NewStore(r)
}

// Two writers change a plan as fast as they can while git reads it: no change is lost, and no read fails.
func TestTwoWritersLoseNothing(t *testing.T) {
	updates := 50
	if n, err := strconv.Atoi(os.Getenv("STORM_SIZE")); err == nil {
		updates = n
	}
	dir, _, d := storeIn(t)
	ref := RefPrefix + d.ID
	done := make(chan struct{})
	var readers, writers sync.WaitGroup
	for _, args := range [][]string{{"rev-parse", "--verify", ref}, {"cat-file", "-e", ref + ":plan.md"}, {"for-each-ref", RefPrefix}} {
		readers.Go(func() {
			for reads := 0; ; reads++ {
				select {
				case <-done:
					t.Logf("git %s: %d reads", args[0], reads)
					return
				default:
				}
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 && args[0] != "cat-file" {
					t.Errorf("git %v during writes: %v\n%s", args, err, out)
					return
				}
			}
		})
	}
	for w := range 2 {
		s := openStore(t, dir)
		mine, err := s.Load(t.Context(), d.ID)
		if err != nil {
			t.Fatal(err)
		}
		writers.Go(func() {
			for n := range updates {
				err := s.Apply(t.Context(), mine, "main", Change{Event: Event{Kind: Edited, By: ByPerson, Reason: fmt.Sprintf("writer %d, change %d", w, n)}})
				if err != nil {
					t.Errorf("writer %d, change %d: %v", w, n, err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	log := repository.Git(t, dir, "log", "--format=%B", ref)
	for w := range 2 {
		for n := range updates {
			if strings.Count(log, fmt.Sprintf("Plan-Reason: writer %d, change %d\n", w, n)) != 1 {
				t.Errorf("change %d of writer %d is not there once", n, w)
			}
		}
	}
	if n := strings.Count(repository.Git(t, dir, "reflog", "show", ref), "\n"); n != 2*updates+1 {
		t.Errorf("the reflog has %d entries, want %d", n, 2*updates+1)
	}
	repository.Git(t, dir, "fsck", "--strict")
}

// An id is used once: an existing plan is never overwritten.
func TestCreatingNeverOverwrites(t *testing.T) {
	_, s, d := storeIn(t)
	err := s.Commit(t.Context(), &Document{ID: d.ID}, d.Plan, nil, Event{Kind: Created}, "main")
	if err != git.ErrMoved {
		t.Errorf("creating over an existing plan: %v, want %v", err, git.ErrMoved)
	}
}

// An event is read back as it was written, whatever it contains.
func TestEventsAreReadBack(t *testing.T) {
	_, s, d := storeIn(t)
	want := Event{
		Kind: Done, Steps: []string{"a"}, Head: strings.Repeat("a", 40), Tree: strings.Repeat("b", 40), Attempt: 2, By: ByAgent,
		Agent: "openai/x", Took: 94 * time.Second, Reason: "line one\nPlan-Step: race/b", Summary: "\x1b[31mred\nPlan-Event: done",
		Kept: "refs/plan-attempts/" + d.ID + "/a/1", Unstuck: true,
	}
	want.Tokens = agent.Tokens{In: 48211, Cached: 39002, Out: 3120, Written: 5000, Unreported: 2}
	want.Cost.USD, want.Cost.Known = 0.31, true
	want.Usage = []RoleUsage{
		{Role: agent.Reviewer, Agent: "a; b, 3s", Sessions: 2, Tokens: want.Tokens, Cost: want.Cost, Took: 8 * time.Second},
		{Role: agent.Fixer, Agent: "x", Sessions: 1, Took: 400 * time.Millisecond},
		{Role: agent.Verifier, Agent: "y", Sessions: 1, Cost: want.Cost}, // as older programs wrote them
	}
	if err := s.Apply(t.Context(), d, "main", Change{Event: want}); err != nil {
		t.Fatal(err)
	}
	again, err := s.Load(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	got := again.Events[len(again.Events)-1]
	want.Reason, want.Summary = "line one Plan-Step: race/b", `\u001b[31mred Plan-Event: done`
	got.Commit, got.Time, got.Headline = "", time.Time{}, ""
	if got.Tokens != want.Tokens || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("read back\n%+v\nwritten\n%+v", got, want)
	}
}

// The store works in every repository that git supports; errors of this git are reported.
func TestPlansAreKeptInEveryKindOfRepository(t *testing.T) {
	for name, init := range map[string][]string{
		"plain": nil, "bare": {"--bare"}, "shared": {"--shared=group"}, "sha256": {"--object-format=sha256"},
		"separate git dir": {"--separate-git-dir=" + filepath.Join(t.TempDir(), "elsewhere")},
	} {
		t.Run(name, func(t *testing.T) {
			dir, s, d := storeIn(t, init...)
			if err := s.Apply(t.Context(), d, "main", Change{Event: Event{Kind: Done, Steps: []string{"a"}, Head: None}, Edit: func(text []byte) ([]byte, error) {
				return plan.Tick(text, "a", true)
			}}); err != nil {
				t.Fatal(err)
			}
			if out := repository.Git(t, dir, "show", RefPrefix+d.ID+":plan.md"); !strings.Contains(out, "- [x] **A**") {
				t.Errorf("git shows\n%s", out)
			}
			repository.Git(t, dir, "fsck", "--strict")
		})
	}
	reftable := exec.Command("git", "init", "-q", "--ref-format=reftable", filepath.Join(t.TempDir(), "r"))
	if out, err := reftable.CombinedOutput(); err != nil {
		t.Logf("not tried: this git cannot make a reftable repository (%s)", strings.SplitN(string(out), "\n", 2)[0])
	}
}

// The stores of one process share a plan and a history, however many sessions run.
func TestStoresOfAProcessShareThePlan(t *testing.T) {
	dir, s, d := storeIn(t)
	beside := s.WithRepo(openStore(t, dir).Repo)
	old := *d
	more := func(text []byte) ([]byte, error) { return append(text, "\nMore.\n"...), nil }
	if err := s.Apply(t.Context(), d, "main", Change{Event: Event{Kind: Edited, By: ByPerson, Reason: "one more"}, Edit: more}); err != nil {
		t.Fatal(err)
	}
	for _, from := range []*Document{&old, {ID: d.ID}} {
		now, err := beside.Newer(t.Context(), from)
		if err != nil || now.Tip != d.Tip || now.Plan != d.Plan || len(now.Events) != len(d.Events) || &now.Events[0] != &d.Events[0] {
			t.Errorf("from %q: %v, %+v", from.Tip, err, now)
		}
	}
	now, err := openStore(t, dir).Load(t.Context(), d.ID) // another process
	if err != nil || now.Plan == d.Plan || len(now.Events) != len(d.Events) {
		t.Errorf("%v, %+v", err, now)
	}
}

// An additional event costs the same however long the history is, and two copies of one document are
// independent.
func TestCostOfAnEventIsConstant(t *testing.T) {
	_, s, d := storeIn(t)
	d.extend(make([]Event, 100_000)...)
	other := *d
	byTurns := func() {
		t.Helper()
		for _, by := range []*Document{d, &other} {
			now, err := s.Newer(t.Context(), by)
			if err == nil {
				*by = *now
				err = s.Apply(t.Context(), by, "main", Change{Event: Event{Kind: Edited, By: ByPerson, Reason: "one more"}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	byTurns()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		byTurns()
	}
	runtime.ReadMemStats(&after)
	// One growth of the list is among the ten, an eighth of its size; the race detector's overhead (pools
	// that forget) must be small compared with the rest.
	history := uint64(len(d.Events)) * uint64(unsafe.Sizeof(Event{}))
	if cost := (after.TotalAlloc - before.TotalAlloc) / 10; cost > history/4 {
		t.Errorf("an event costs %d bytes with a history of %d", cost, history)
	}
	apart := *d
	d.extend(Event{Kind: Done}, Event{Kind: Failed})
	apart.extend(Event{Kind: Blocked})
	if n := len(d.Events); d.Events[n-2].Kind != Done || d.Events[n-1].Kind != Failed || apart.Events[n-2].Kind != Blocked {
		t.Errorf("%v, apart %v", d.Events[n-2:], apart.Events[n-2:])
	}
}
