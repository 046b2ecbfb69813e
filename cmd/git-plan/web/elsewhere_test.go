package web

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/repository"
)

// finished makes a branch from main whose plan is done and reviewed, with a commit of its own.
func (s *site) finished(branch string) (id string) {
	s.Helper()
	repository.Git(s, "", "switch", "-q", "-c", branch, "main")
	start := repository.Ask(s, "rev-parse", "HEAD")
	repository.Write(s, branch+".txt", branch)
	head := repository.Commit(s, branch)
	must(s.TB, s.Open(s.Context(), func(co *checkout.Checkout) error {
		doc, err := co.Store.Create(s.Context(), []byte("# Plan "+branch+"\n\n## Steps\n\n- [x] **One** {#one}\n"), branch, "main", journal.Event{Start: start, Head: start, By: journal.ByPerson})
		must(s.TB, err)
		id = doc.ID
		must(s.TB, co.Attach(s.Context(), doc.ID))
		must(s.TB, integrity.Approve(co.Repo, doc.ID, doc.Plan.Source))
		done := journal.Event{Kind: journal.Done, Steps: []string{"one"}, Head: journal.None, By: journal.ByPerson}
		must(s.TB, co.Store.Apply(s.Context(), doc, branch, journal.Change{Event: done}))
		l := &ledger.Ledger{
			Schema: ledger.Schema, Plan: doc.ID, Branch: branch, Base: start, BaseTree: repository.Ask(s, "rev-parse", start+"^{tree}"),
			Head: head, HeadTree: repository.Ask(s, "rev-parse", "HEAD^{tree}"), End: ledger.Clean, Rounds: []ledger.Round{}, Findings: []finding.Finding{},
		}
		text, err := l.Bytes()
		must(s.TB, err)
		reviewed := journal.Event{Kind: journal.Reviewed, Head: head, By: journal.ByAgent, Reason: string(l.End)}
		return co.Store.Apply(s.Context(), doc, branch, journal.Change{Event: reviewed, Files: map[string][]byte{journal.ReviewFile: text}})
	}))
	return id
}

// How far a plan is, and what comes next, is the same whichever branch is checked out; a command of another branch
// begins with git switch.
func TestPlansOfOtherBranches(t *testing.T) {
	s := serve(t, "# Work\n\n## Steps\n\n- [ ] **One** {#one}\n", nil)
	git := func(args ...string) { t.Helper(); repository.Git(t, "", args...) }
	git("init", "-q", "--bare", "../origin.git")
	git("remote", "add", "origin", "../origin.git")
	plans := []struct{ branch, command, why string }{
		{"new", "git push -u origin HEAD", ""},
		{"pushed", "git plan pr", "the branch is on origin, but the current plan is not<"},
		{"shared", "git plan export --format pr", "Pushed: origin has the branch and its plan."},
		{"behind", "git pull origin behind", "it has commits of the branch that are not here;"},
		{"rewritten", "git push --force-with-lease", "origin has rewritten as it was before you rewrote it<"},
		{"merged", "", "nothing, main already has merged"},
	}
	ids := map[string]string{}
	for _, p := range plans {
		ids[p.branch] = s.finished(p.branch)
		if p.branch != "new" {
			git("push", "-q", "-u", "origin", p.branch)
		}
	}
	git("update-ref", "refs/plan-remotes/origin/"+ids["shared"], "refs/plans/"+ids["shared"])
	git("switch", "-q", "--detach", "behind")
	git("commit", "-q", "--allow-empty", "-m", "by another")
	git("push", "-q", "origin", "HEAD:behind")
	git("switch", "-q", "rewritten")
	git("commit", "-q", "--amend", "-m", "otherwise")
	git("switch", "-q", "main")
	git("merge", "-q", "--ff-only", "merged")
	s.finished("replaced")
	git("config", "branch.replaced.plan", ids["merged"])
	git("switch", "-q", "-c", "fresh")
	for _, here := range []string{"fresh", "pushed", "rewritten"} {
		git("switch", "-q", here)
		_, all := s.ask("GET", s.look+"plans", nil)
		if !strings.Contains(all, "<code>replaced</code>, which has another plan &#183;") {
			t.Error("the branch of a plan that was replaced is said to be gone:", all)
		}
		for _, p := range plans {
			row, _, _ := strings.Cut(all[strings.Index(all, ">Plan "+p.branch+"<"):], "</li>")
			shown := map[string]string{p.command: row}
			if p.branch != here { // its page says once that it has to be checked out, its row in the command
				first := "git switch " + p.branch
				_, page := s.ask("GET", s.look+"plan/"+ids[p.branch], nil)
				shown = map[string]string{p.command: page, strings.TrimSuffix(first+" &amp;&amp; "+p.command, " &amp;&amp; "): row}
				if strings.Contains(page, `<code class="copy">`+first+"</code>") != (p.branch != "merged") {
					t.Errorf("on %s, not %s: %s", here, first, page)
				}
			}
			for command, html := range shown {
				told := strings.Contains(html, `<code class="copy">`+command+"</code>") == (p.branch != "merged")
				if !told || !strings.Contains(html, p.why) || !strings.Contains(html, "Done; reviewed in another clone") {
					t.Errorf("on %s, not %+v: %s", here, p, html)
				}
			}
		}
		must(t, s.Open(t.Context(), func(co *checkout.Checkout) error {
			listed, err := status.List(t.Context(), co)
			for _, l := range listed {
				if l.Branch != "work" && (l.State != "done" || l.Done != 1 || l.Here != (l.Branch == here)) {
					t.Errorf("on %s: %+v", here, l)
				}
			}
			return err
		}))
	}
}
