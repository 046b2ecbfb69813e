package share

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/repository"
)

// asked opens a repository with an approved plan, both of whose steps are blocked by questions.
func asked(t *testing.T) *checkout.Checkout {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(repository.New(t, "-b", "main"))
	repository.Git(t, "", "commit", "-q", "--allow-empty", "-m", "begin")
	repository.Git(t, "", "switch", "-q", "-c", "work")
	co, err := checkout.Open(t.Context())
	must(err)
	t.Cleanup(co.Close)
	head := repository.Ask(t, "rev-parse", "HEAD")
	doc, err := co.Store.Create(t.Context(), []byte("# P\n\n## Steps\n\n- [ ] **A** {#a}\n- [ ] **B** {#b}\n"), "work", "main", journal.Event{Start: head, Head: head, By: journal.ByPerson})
	must(err)
	must(integrity.Approve(co.Repo, doc.ID, doc.Plan.Source))
	must(co.Attach(t.Context(), doc.ID))
	must(co.Load(t.Context()))
	for _, step := range []string{"a", "b"} {
		must(co.Store.Apply(t.Context(), co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Blocked, Steps: []string{step}, Head: journal.None, By: journal.ByAgent, Reason: "which?", Question: true}}))
	}
	must(co.Derive(t.Context()))
	return co
}

// An answer that waits is stored by whoever took it, and keeps the approval. If they died, the next
// command stores it for a person to approve; if its question is another by then, nobody does.
func TestAnAnswerWaits(t *testing.T) {
	co := asked(t)
	id := co.Doc.ID
	first, err := KeepAnswer(co, "a", "this")
	if err != nil {
		t.Fatal(err)
	}
	dead, err := KeepAnswer(co, "b", "that")
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.lock.Close() // it died
	if all := WaitingAnswers(co.Repo, id); len(all) != 2 || all[0].Text != "this" {
		t.Errorf("%+v", all)
	}
	if err := first.Store(t.Context(), co); err != nil {
		t.Fatal(err)
	}
	if ok, err := integrity.IsApproved(co.Repo, id, co.Doc.Plan); err != nil || !ok || !strings.Contains(string(co.Doc.Plan.Source), "this") {
		t.Errorf("%v %v\n%s", ok, err, co.Doc.Plan.Source)
	}
	steps, err := StoreWaiting(t.Context(), co)
	if err != nil || !slices.Equal(steps, []string{"b"}) {
		t.Fatalf("%q %v", steps, err)
	}
	if ok, _ := integrity.IsApproved(co.Repo, id, co.Doc.Plan); ok || len(WaitingAnswers(co.Repo, id)) > 0 {
		t.Error("anybody could have written it")
	}
	if _, err := KeepAnswer(co, "a", "no"); err == nil {
		t.Error("the step is not blocked")
	}
}

// Nobody stores the answer of somebody who is still there to do it.
func TestAnAnswerOfTheLiving(t *testing.T) {
	co := asked(t)
	w, err := KeepAnswer(co, "a", "this")
	if err != nil {
		t.Fatal(err)
	}
	if steps, err := StoreWaiting(t.Context(), co); err != nil || len(steps) > 0 {
		t.Errorf("%q %v", steps, err)
	}
	if err := co.Answer(t.Context(), "a", "another"); err != nil {
		t.Fatal(err)
	}
	if err := w.Store(t.Context(), co); err != nil || strings.Contains(string(co.Doc.Plan.Source), "this") {
		t.Errorf("%v\n%s", err, co.Doc.Plan.Source)
	}
}
