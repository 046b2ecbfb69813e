package panel

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Verification is the answer of a verifier: one judgement for each finding.
type Verification struct {
	Use
	Judged map[string]finding.Judgement // finding ID -> judgement; nil without a usable answer
}

// Verifier confirms findings or refutes them.
type Verifier struct {
	RunSession RunSession
	Shares     bool // its sessions cannot write: see [Reviewer]
}

// Verify runs the verifier on findings, in a clone of its own unless it can only read.
func (v Verifier) Verify(ctx context.Context, t *Target, findings []finding.Finding) (out Verification) {
	err := t.inClone(ctx, v.Shares, func(own *Target) bool {
		out = v.ask(ctx, own, findings)
		return out.Incomplete == ""
	})
	if err != nil {
		out.Incomplete, out.Judged = finding.Line(err.Error(), finding.MaxText), nil
	}
	return out
}

// ask has a fresh session judge findings.
func (v Verifier) ask(ctx context.Context, t *Target, findings []finding.Finding) (out Verification) {
	file, remove, err := finding.TempFile(findings)
	if err != nil {
		out.Incomplete = finding.Line(err.Error(), finding.MaxTitle)
		return out
	}
	defer remove()
	s := t.session(agent.Verifier, "", verifierPrompt(t, findings))
	s.Review.Findings = file
	accept := func(text string) (err error) {
		out.Judged, err = finding.ParseVerification(text, t.Nonce, findings)
		return err
	}
	if out.Use = ask(ctx, v.RunSession, "the verifier", s, accept); out.Incomplete != "" {
		out.Judged = nil
	}
	for _, f := range findings {
		if j, ok := out.Judged[f.ID]; ok {
			out.Judged[f.ID] = t.cited(ctx, &f, j)
		}
	}
	return out
}

// Record adds the usage to the round's so far, and returns the ledger's record of both.
func (v Verification) Record(used *Use) *ledger.Reviewed {
	*used = v.and(*used)
	r := used.recorded("verifier")
	return &r
}

// cited makes a refutation without a valid quote Plausible. The quote must be in a file or, if the finding names no
// file, in the plan.
func (t *Target) cited(ctx context.Context, f *finding.Finding, j finding.Judgement) finding.Judgement {
	planned := f.File == "" && t.Plan != nil && finding.Quotes(j.Quote, t.Plan.Source)
	if j.Answer != finding.Refuted || planned {
		return j
	}
	all, _ := t.Repo.Paths(ctx, t.Head)
	if slices.ContainsFunc(append(paths(t.Diff), all...), func(p string) bool { // the changed files first
		data, ok := t.File(ctx, p)
		return ok && ctx.Err() == nil && finding.Quotes(j.Quote, data)
	}) {
		return j
	}
	j.Answer = finding.Plausible
	j.Because = finding.Line("refuted without a citation: "+j.Because, finding.MaxText)
	return j
}

// verifierPrompt returns a prompt with the findings and the diffs of their files, by the branch and by fixers.
func verifierPrompt(t *Target, findings []finding.Finding) agent.Prompt {
	p := &promptBuilder{}
	p.about(t)
	about := map[string]bool{}
	for _, f := range findings {
		about[f.File] = true
	}
	if text := t.patch(t.Diff, about); text != "" {
		p.heading("What the change did to these files")
		p.data("diff", text)
	}
	if len(t.Fixes) > 0 && t.Fixed != nil {
		p.heading("Commits that a fixer wrote since the first round")
		p.say("They claim to fix findings. What they did to these files is in the diff above, too.")
		p.data("fixes", commitText(t.Fixes))
		if text := t.patch(t.Fixed, about); text != "" {
			p.data("diff of the fixes", text)
		}
	}
	p.heading("The findings")
	p.say("%s, each with its id.", visible.Count(len(findings), "finding"))
	for _, f := range findings {
		if f.Status != finding.Dismissed { // the verifier must not be told an earlier reason
			f.Because = ""
		}
		p.data("finding "+f.ID, finding.Text(f))
	}
	p.end(t, "", "Judge each finding.")
	return agent.Prompt{System: "Role: verifier\n\n" + verifierContract, User: p.text.String(), Form: verdictForm}
}

// maxChanged is the maximum size of a diff for the verifier in bytes; it can read the rest.
const maxChanged = 60_000

func (t *Target) patch(d *git.Diff, to map[string]bool) string {
	var b strings.Builder
	for i := range d.Files {
		if f := &d.Files[i]; to[f.Path] && !t.Secret[f.Path] && !f.Binary {
			b.WriteString(strings.Join(patchesOf(f, maxChanged), ""))
		}
	}
	return finding.Cut(b.String(), maxChanged)
}

// Tried returns the commits and diffs of earlier fixers in the files of findings that still stand; "" if none.
func (t *Target) Tried(findings []finding.Finding) string {
	again := map[string]bool{}
	for _, f := range findings {
		if 0 < f.Round && f.Round < t.Round {
			again[f.File] = true
		}
	}
	if len(again) == 0 || t.Fixed == nil {
		return ""
	}
	if text := t.patch(t.Fixed, again); text != "" {
		return commitText(t.Fixes) + "\n" + text
	}
	return ""
}
