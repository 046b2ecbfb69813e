package share

import (
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

// An answer given on the page during a session is stored when the session ends, and keeps the approval; not
// if the question has another answer by then.
func TestAnswerWaits(t *testing.T) {
	co := asked(t)
	give := func(step, text string, meanwhile func()) {
		t.Helper()
		over := make(chan struct{})
		AnswerLater(t.Context(), co, step, text, func(do func(*checkout.Checkout) error) error {
			defer close(over)
			if WaitingAnswer(co, step) != text {
				t.Error("the page does not say that it waits")
			}
			meanwhile()
			return do(co)
		}, func(err error) { t.Error(err) })
		<-over
	}
	give("a", "this", func() {})
	if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); err != nil || !ok || !strings.Contains(string(co.Doc.Plan.Source), "this") {
		t.Errorf("%v %v\n%s", ok, err, co.Doc.Plan.Source)
	}
	give("b", "that", func() {
		if err := co.Answer(t.Context(), "b", "another"); err != nil {
			t.Fatal(err)
		}
	})
	if strings.Contains(string(co.Doc.Plan.Source), "that") {
		t.Errorf("a question that was answered is answered again\n%s", co.Doc.Plan.Source)
	}
}
