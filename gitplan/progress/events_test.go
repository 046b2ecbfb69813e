package progress_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// happened returns events, each written as "kind step step".
func happened(text string) (events []journal.Event) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		events = append(events, journal.Event{Kind: journal.Kind(words[0]), Steps: words[1:], Head: fmt.Sprint("at", len(events))})
	}
	return events
}

// The last event of a step counts, unless it is about the text or about history; an undone step stays undone
// until it is done again.
func TestEventsThatCount(t *testing.T) {
	for _, c := range []struct{ events, last, undone string }{
		{"created", "", ""},
		{"started a\nfailed a\nstarted a", "a:started", ""},
		{"started a\ndone a\nedited a\nrewritten a\napproved\nreviewed", "a:done", ""},
		{"done a b\nblocked b", "a:done b:blocked", ""},
		{"done a\nundone a", "a:done", "a:at1"},
		{"done a\nundone a\nstarted a", "a:started", "a:at1"},
		{"done a\nundone a\ndone a", "a:done", ""},
		{"done a b\nundone a\nreopened a b", "a:reopened b:reopened", ""},
		{"skipped a\nreplanned a\nchecked b", "a:replanned b:checked", ""},
	} {
		events := happened(c.events)
		last, undone := progress.LastEvents(events), progress.Undone(events)
		var gotLast, gotUndone []string
		for _, step := range []string{"a", "b"} {
			if e, ok := last[step]; ok {
				gotLast = append(gotLast, step+":"+string(e.Kind))
			}
			if commit, ok := undone[step]; ok {
				gotUndone = append(gotUndone, step+":"+commit)
			}
		}
		if l, u := strings.Join(gotLast, " "), strings.Join(gotUndone, " "); l != c.last || u != c.undone {
			t.Errorf("%q: last %q, undone %q", c.events, l, u)
		}
	}
}

// A commit that replaced others does what the last of them did, whatever its message says; events record
// which did what.
func TestCommitThatReplacedOthers(t *testing.T) {
	const old, older, now = "a000000000000000000000000000000000000000", "b000000000000000000000000000000000000000", "c000000000000000000000000000000000000000"
	rewrite := func(from, to, did string) journal.Rewrite {
		r := journal.Rewrite{Replaced: journal.Replaced{Old: from, New: to}, Did: map[string]bool{}}
		for _, word := range strings.Fields(did) {
			r.Did[word[1:]] = word[0] == '+'
		}
		return r
	}
	for name, c := range map[string]struct {
		message string
		all     []journal.Rewrite
		want    string
	}{
		"unknown commits":               {"Squashed\n", nil, "reopened reopened"},
		"of one":                        {"Squashed\n", []journal.Rewrite{rewrite(old, now, "+a")}, "done reopened"},
		"of two":                        {"Squashed\n", []journal.Rewrite{rewrite(old, now, "+a"), rewrite(older, now, "+b")}, "done done"},
		"of a step and its revert":      {"Squashed\n", []journal.Rewrite{rewrite(older, now, "+a +b"), rewrite(old, now, "-a")}, "reopened done"},
		"whatever its message says":     {"A\n\nPlan-Step: p/a\n", []journal.Rewrite{rewrite(old, now, "-a")}, "reopened reopened"},
		"of a commit on another branch": {"Squashed\n", []journal.Rewrite{rewrite(old, older, "+a")}, "reopened reopened"},
	} {
		p := &plan.Plan{ID: "p", Steps: []plan.Step{{ID: "a"}, {ID: "b"}}}
		events := []journal.Event{{Kind: journal.Done, Steps: []string{"a"}, Head: old}, {Kind: journal.Done, Steps: []string{"b"}, Head: older}, {Kind: journal.Rewritten, Rewrites: c.all}}
		at := progress.From(p, events, []git.Commit{{OID: now, Message: c.message}}, func(string) (git.Commit, bool) { return git.Commit{}, false })
		if got := fmt.Sprint(at.Steps["a"].State, " ", at.Steps["b"].State); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Attempts are numbered over reopenings; what a person confirms is the attempt that they confirm.
func TestNumbersOfAttempts(t *testing.T) {
	one := func(kind journal.Kind, attempt int, tree string) journal.Event {
		return journal.Event{Kind: kind, Steps: []string{"a"}, Attempt: attempt, Tree: tree}
	}
	n, got := progress.Numbering{}, []int(nil)
	for _, e := range []journal.Event{
		one(journal.Started, 1, ""), one(journal.Failed, 1, ""), one(journal.Failed, 2, ""), one(journal.Blocked, 2, ""),
		one(journal.Reopened, 0, ""), one(journal.Started, 1, ""), one(journal.Blocked, 1, "t"), one(journal.Done, 1, ""),
		one(journal.Reopened, 0, ""), one(journal.Done, 1, ""),
	} {
		n.Add(e)
		got = append(got, n.Last)
	}
	if want := []int{1, 1, 2, 2, 2, 3, 3, 3, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("the numbers are %v, want %v", got, want)
	}
}
