package progress_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/repository"
)

// stored returns a plan of two steps stored in a repository, which is the current folder, on a branch with
// one earlier commit.
func stored(t *testing.T) (*journal.Store, *journal.Document) {
	t.Helper()
	repository.Here(t)
	t.Setenv("XDG_STATE_HOME", "")
	start := repository.Commit(t, "before")
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	s := journal.NewStore(r)
	d, err := s.Create(t.Context(), []byte("# Work\n\n## Steps\n\n- [ ] **A** {#a}\n- [ ] **B** {#b}\n"), "main", "", journal.Event{Start: start, By: journal.ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// does commits a step, with or without its name, and records it as done in the plan.
func does(t *testing.T, s *journal.Store, d *journal.Document, step string) (commit string) {
	t.Helper()
	repository.Write(t, step, strings.Repeat(step+" of this step\n", 5))
	commit = repository.Commit(t, "Step "+step+"\n\nPlan-Step: "+d.ID+"/"+step)
	if err := s.Apply(t.Context(), d, "main", journal.Change{Event: journal.Event{Kind: journal.Done, Steps: []string{step}, Head: commit}}); err != nil {
		t.Fatal(err)
	}
	return commit
}

// states returns the states of the steps, from the commits since the plan's start.
func states(t *testing.T, s *journal.Store, d *journal.Document) string {
	t.Helper()
	commits, err := progress.Since(t.Context(), s, d, repository.Ask(t, "rev-parse", "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	at := progress.Derive(t.Context(), s, d, commits)
	return string(at.Steps["a"].State) + " " + string(at.Steps["b"].State)
}

// The commits since a plan's start are read, however many there are and whatever happened to the start.
func TestCommitsSinceAPlansStart(t *testing.T) {
	s, d := stored(t)
	since := func() (subjects []string) {
		commits, err := progress.Since(t.Context(), s, d, repository.Ask(t, "rev-parse", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range commits {
			subjects = append(subjects, c.Subject())
		}
		return subjects
	}
	if got := since(); len(got) > 0 {
		t.Errorf("before anything happened: %q", got)
	}
	does(t, s, d, "a")
	repository.Git(t, "", "switch", "-q", "-c", "side", "HEAD^")
	repository.Commit(t, "aside")
	repository.Git(t, "", "switch", "-q", "main")
	repository.Git(t, "", "merge", "-q", "--no-edit", "-m", "merge", "side")
	if got := since(); len(got) != 3 || got[0] != "merge" {
		t.Errorf("with a merge: %q", got)
	}
	for range git.FewCommits + 1 {
		repository.Git(t, "", "commit", "-q", "--allow-empty", "-m", "more")
	}
	if got := since(); len(got) != git.FewCommits+4 {
		t.Errorf("of many: %d", len(got))
	}
	repository.Git(t, "", "checkout", "-q", "--orphan", "new")
	repository.Commit(t, "another root")
	if got := since(); len(got) != 1 || got[0] != "another root" {
		t.Errorf("on a branch that lacks the start: %q", got)
	}
}

// Commits that a rebase squashed under a message without a step's name are recorded, so that the steps stay
// done; a commit that keeps its message needs no record.
func TestSquashedCommitsAreRecorded(t *testing.T) {
	s, d := stored(t)
	a, b := does(t, s, d, "a"), does(t, s, d, "b")
	record := func(tip string, all ...journal.Replaced) string {
		steps, err := progress.Rewritten(t.Context(), s, d, "main", tip, all)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(steps, " ")
	}
	repository.Git(t, "", "commit", "-q", "--amend", "--no-edit", "--date", "2020-01-01T00:00:00Z")
	again := repository.Ask(t, "rev-parse", "HEAD")
	events := len(d.Events)
	if got := record(b, journal.Replaced{Old: b, New: again}, journal.Replaced{Old: again, New: again}); got != "" || len(d.Events) != events {
		t.Errorf("what keeps its message concerns %q; %d events", got, len(d.Events)-events)
	}
	repository.Git(t, "", "reset", "-q", "--soft", "HEAD~2")
	squash := repository.Commit(t, "both, by hand")
	if got := states(t, s, d); got != "reopened reopened" {
		t.Errorf("before it is recorded they are %s", got)
	}
	if got := record(again, journal.Replaced{Old: a, New: squash}, journal.Replaced{Old: again, New: squash}); got != "a b" {
		t.Errorf("the squash concerns %q", got)
	}
	if got := states(t, s, d); got != "done done" {
		t.Errorf("recorded, they are %s", got)
	}
	repository.Git(t, "", "revert", "--no-edit", "HEAD")
	if got := states(t, s, d); got != "reopened reopened" {
		t.Errorf("reverted, they are %s", got)
	}
	if got := record(squash, journal.Replaced{Old: strings.Repeat("0", 40), New: squash}); got != "" {
		t.Errorf("a missing commit concerns %q", got)
	}
}

// The events of every plan are read at once, in the order of their ids; an invalid text hides no event.
func TestEventsOfAllPlans(t *testing.T) {
	s, d := stored(t)
	does(t, s, d, "a")
	other, err := s.Create(t.Context(), []byte("# Another\n\n## Steps\n\n- [ ] **A** {#a}\n"), "elsewhere", "", journal.Event{Start: journal.None})
	if err != nil {
		t.Fatal(err)
	}
	broken := repository.Ask(t, "commit-tree", "-m", "x 0/0 plan: created\n\nPlan-Event: created\n", "HEAD^{tree}")
	repository.Git(t, "", "update-ref", journal.RefPrefix+"zzz-0000", broken)
	pasts, err := progress.AllEvents(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pasts {
		kinds := p.Plan + " on " + p.Branch + ":"
		for _, e := range p.Events {
			kinds += " " + string(e.Kind)
		}
		got = append(got, kinds)
	}
	if d := cmp.Diff([]string{other.ID + " on elsewhere: created", d.ID + " on main: created done", "zzz-0000 on : created"}, got); d != "" {
		t.Error(d)
	}
}
