package panel

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/testdata/branches"
)

// doubtful is a finding for a verifier.
func doubtful() []finding.Finding {
	return []finding.Finding{{ID: "000000000001", File: "a.txt", Line: 2, Quote: "BUG here", Title: "there is a bug", Trigger: "any", Detail: "it says so", Category: "correctness", Severity: finding.High}}
}

// A refutation counts only with a citation from a file of the commit: not without one, nor with the
// verifier's own text.
func TestRefutationNeedsACitation(t *testing.T) {
	b, _ := change(t)
	to := target(b, b.Commit("other.txt", "what makes it fine\n"))
	answer := func(word, quote string) string {
		return `printf '{"nonce": "%s", "answers": [{"id": "000000000001", "answer": "` + word + `", "because": "b", "quote": "` + quote + `"}]}' "$GIT_PLAN_NONCE"`
	}
	for name, tt := range map[string]struct {
		line string
		want finding.Status
	}{
		"a changed file":     {answer("refuted", "what makes it fine"), finding.Refuted},
		"an old file":        {answer("refuted", "base"), finding.Refuted},
		"no quote":           {answer("refuted", ""), finding.Plausible},
		"a brace":            {answer("refuted", "}"), finding.Plausible},
		"from no file":       {answer("refuted", "made up"), finding.Plausible},
		"from its own proof": {"echo made up >proof.txt; " + answer("refuted", "made up"), finding.Plausible},
		"a confirmation":     {answer("confirmed", ""), finding.Confirmed},
	} {
		v := Verifier{RunSession: sessions(tt.line)}.Verify(t.Context(), to, doubtful())
		if j := v.Judged["000000000001"]; v.Incomplete != "" || j.Answer != tt.want || j.Because == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Without a usable answer nothing is decided, and the reason is one line.
func TestVerifierWithoutAnAnswer(t *testing.T) {
	_, to := change(t)
	verifies := branches.Script(t, "verifies.sh")
	for want, v := range map[string]Verifier{
		"failed":                    {RunSession: sessions("exit 3")},
		"its output cannot be used": {RunSession: sessions("echo all confirmed")},
		"it changed its copy: base": {RunSession: sessions("echo x >base.txt; " + verifies)},
	} {
		if got := v.Verify(t.Context(), to, doubtful()); !strings.HasPrefix(got.Incomplete, want) || got.Judged != nil {
			t.Errorf("%s: %+v", want, got)
		}
	}
}

// Usage of a verifier's sessions in a round is summed; a price that is unknown once stays unknown.
func TestUsageOfAVerifierIsSummed(t *testing.T) {
	known := Verification{Use: Use{Agent: "m", Sessions: 1, Tokens: agent.Tokens{In: 2}, Cost: agent.Cost{USD: 1, Known: true}}}
	used := known.Use
	r := known.Record(&used)
	if r.Sessions != 2 || r.Tokens.In != 4 || r.CostUSD == nil || *r.CostUSD != 2 || r.Name != "verifier" {
		t.Errorf("%+v", r)
	}
	silent := known
	silent.Cost = agent.Cost{}
	if r := silent.Record(&used); r.CostUSD != nil {
		t.Errorf("%+v", r)
	}
	if twice := known.and(known.Use); twice.Sessions != 2 || twice.Cost.USD != 2 || !twice.Cost.Known {
		t.Errorf("%+v", twice)
	}
}

// An unusable answer is asked for once more, with the error; a failed session is not repeated. A rate-limited
// verifier may answer later, and a spent budget is reported.
func TestUnusableAnswerIsAskedForOnceMore(t *testing.T) {
	answers := []string{"prose", "good"}
	var asked []string
	hold := func(_ context.Context, s agent.Session) agent.Result {
		asked = append(asked, s.Prompt.User)
		return agent.Result{Status: agent.Done, Answer: answers[len(asked)-1], Tokens: agent.Tokens{In: 1}, Cost: agent.Cost{USD: 1, Known: true}}
	}
	accept := func(text string) error {
		if text != "good" {
			return errors.New("not what was asked for")
		}
		return nil
	}
	use := ask(t.Context(), hold, "the verifier", agent.Session{}, accept)
	if use.Incomplete != "" || use.Sessions != 2 || use.Tokens.In != 2 || use.Cost.USD != 2 || !strings.Contains(asked[1], "not what was asked for") {
		t.Errorf("%+v, %q", use, asked)
	}
	for status, kind := range map[agent.Status]error{agent.Limited: fault.ErrLimited, agent.Unreachable: fault.ErrUnreachable, agent.Lost: fault.ErrLost, agent.Failed: nil, agent.Done: nil} {
		if err := Later("the verifier", status, "why"); !errors.Is(err, kind) || kind != nil && err.Error() != "the verifier: "+string(status)+": why" {
			t.Errorf("%s: %v", status, err)
		}
	}
	for want, r := range map[string]agent.Result{"": {Status: agent.Failed, Reason: "x"}, "the budget is spent": {Status: agent.Stopped}, "100 tokens": {Status: agent.Stopped, Reason: "100 tokens"}} {
		if got := Spent(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEarlierAttemptsOfFixers: a fixer that gets a finding again reads what earlier ones changed in the file;
// for new findings it reads nothing of that.
func TestEarlierAttemptsOfFixers(t *testing.T) {
	b := branches.New(t)
	first := b.Commit("a.txt", "BUG\n")
	fixed := b.Commit("a.txt", "BUG, but small\n")
	d, err := git.DiffTrees(t.Context(), b.Repo, first, fixed)
	if err != nil {
		t.Fatal(err)
	}
	of := &Target{Round: 2, Head: fixed, Fixed: d, Fixes: []git.Commit{{OID: fixed, Message: "Make it small\n"}}}
	tried := of.Tried([]finding.Finding{{File: "a.txt", Round: 1}})
	for _, want := range []string{fixed[:10] + " Make it small", "=== a.txt", "-BUG\n", "+BUG, but small\n"} {
		if !strings.Contains(tried, want) {
			t.Errorf("%q is missing in\n%s", want, tried)
		}
	}
	for _, f := range []finding.Finding{{File: "a.txt", Round: 2}, {File: "b.txt", Round: 1}} {
		if got := of.Tried([]finding.Finding{f}); got != "" {
			t.Errorf("%+v: %s", f, got)
		}
	}
	of.Secret = map[string]bool{"a.txt": true}
	if got := of.Tried([]finding.Finding{{File: "a.txt", Round: 1}}); got != "" {
		t.Errorf("with a secret in it: %s", got)
	}
}
