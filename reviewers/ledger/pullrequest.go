package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// PullRequest has the data for the text of a pull request.
type PullRequest struct {
	Plan     *plan.Plan
	Progress *progress.Progress
	Ledger   *Ledger // the ledger of the last review; nil without one
	HeadTree string  // the present tree of the branch

	Reviewed *plan.Plan        // the plan at the time of that review; nil without one
	Manual   []progress.Manual // the criteria for a person
	LeftOut  string            // the commit at which a person skipped verification and review; "" if none
}

// Text returns the text as Markdown, in which text of models and repositories is inert.
func (p *PullRequest) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", inline(p.Plan.Title))
	if p.Plan.Summary != "" {
		fmt.Fprintf(&b, "\n%s\n", quoted(p.Plan.Summary))
	}
	for _, s := range p.Plan.Background() {
		if plan.IsAim(s.Title) {
			fmt.Fprintf(&b, "\n%s\n", quoted(s.Body))
		}
	}
	p.requirements(&b)
	p.done(&b)
	p.checked(&b)
	if len(p.Manual) > 0 {
		b.WriteString("\n## To be checked by a person\n\n")
	}
	for _, m := range p.Manual {
		at := ""
		if m.Commit != "" {
			at = fmt.Sprintf(" (checked at %.10s)", m.Commit)
		}
		item(&b, m.Commit != "", inline(m.Text)+at)
	}
	p.review(&b)
	for _, s := range p.Plan.Background() {
		listed := plan.SectionMeaning(s.Title) == "requirements" && len(p.Plan.Requirements) > 0
		if !plan.IsAim(s.Title) && !listed {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", inline(s.Title), quoted(s.Body))
		}
	}
	return b.String()
}

func (p *PullRequest) requirements(b *strings.Builder) {
	list := p.Progress.Requirements(p.Plan)
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## Requirements\n\n")
	for _, r := range list {
		var by []string
		for _, s := range r.Steps {
			text := inline(s.Title)
			switch {
			case s.State != progress.StateDone:
				text += fmt.Sprintf(" (%s)", cmp.Or(s.State, progress.StateOpen))
			case s.Commit != "":
				text += fmt.Sprintf(" (%.10s)", s.Commit)
			}
			by = append(by, text)
		}
		item(b, r.State == progress.StateDone,
			inline(r.ID)+": "+inline(r.Text)+": "+cmp.Or(strings.Join(by, ", "), "no step serves it"))
	}
}

// item writes a list item with a box.
func item(b *strings.Builder, ticked bool, text string) {
	fmt.Fprintf(b, "- [%s] %s\n", map[bool]string{true: "x", false: " "}[ticked], text)
}

func (p *PullRequest) done(b *strings.Builder) {
	skipped := p.Progress.Skipped()
	fmt.Fprintf(b, "\n## Done: %d of %s", p.Progress.Done-skipped, visible.Count(p.Progress.Total, "step"))
	if skipped > 0 {
		fmt.Fprintf(b, ", %d skipped", skipped)
	}
	b.WriteString("\n\n")
	for i := range p.Plan.Steps {
		s := &p.Plan.Steps[i]
		st := p.Progress.Steps[s.ID]
		done, more := st.State == progress.StateDone, ""
		switch {
		case done && st.Last().TickedByHand():
			more = " (ticked in the plan, not checked)"
		case st.CommitOID() != "" && st.Unchecked(p.Plan, s.ID):
			more = fmt.Sprintf(" (%.10s; no command checked it)", st.Commit)
		case done && st.CommitOID() != "":
			more = fmt.Sprintf(" (%.10s)", st.Commit)
		case done:
			more = fmt.Sprintf(" (%s)", strings.TrimSuffix("no change: "+inline(st.Last().Reason), ": "))
		case s.Status.Word != "":
			more = fmt.Sprintf(" (%s)", strings.TrimSuffix(s.Status.Word+": "+inline(s.Status.Reason), ": "))
		}
		item(b, done, inline(s.Title)+more)
		if done {
			if st.Last().Assumed != "" {
				fmt.Fprintf(b, "  - assumed: %s\n", inline(st.Last().Assumed))
			}
			for _, line := range st.Last().Weakened {
				fmt.Fprintf(b, "  - weakened: %s\n", inline(line))
			}
			for _, d := range st.Last().Drift {
				fmt.Fprintf(b, "  - also changed: %s\n", inline(d))
			}
		}
	}
}

// checked lists the commands that passed on the present files during their review.
func (p *PullRequest) checked(b *strings.Builder) {
	if p.Reviewed == nil || p.Ledger == nil || p.Ledger.HeadTree != p.HeadTree || !p.Ledger.End.Passes() {
		return
	}
	all := slices.Concat(p.Reviewed.Verification, p.Reviewed.Checks)
	for i := range p.Reviewed.Steps {
		if s := &p.Reviewed.Steps[i]; p.Progress.Steps[s.ID].State == progress.StateDone {
			all = append(all, s.Checks...)
		}
	}
	list := plan.Commands(all)
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## Checked by commands\n\nThey passed on this commit, except where a finding that was dismissed says otherwise.\n\n")
	for _, c := range list {
		fmt.Fprintf(b, "- %s\n", code(c))
	}
}

func (p *PullRequest) review(b *strings.Builder) {
	b.WriteString("\n## Review\n\n")
	l := p.Ledger
	if p.LeftOut != "" {
		fmt.Fprintf(b, "At %.10s it was left out, and the verification with it (`--no-review`).\n", p.LeftOut)
	}
	if l == nil {
		b.WriteString("No reviewer has judged the branch.\n")
		return
	}
	fmt.Fprintf(b, "Last result: %s: %s.\n", inline(l.End.Words()), inline(l.Reason))
	if l.HeadTree != p.HeadTree {
		b.WriteString("The branch has changed since.\n")
	}
	if len(l.Rounds) > 0 {
		var by []string
		for _, r := range l.Rounds {
			for _, v := range r.Reviewers {
				if v.Incomplete == "" {
					by = append(by, v.Name)
				}
			}
		}
		text := l.Coverage()
		fmt.Fprintf(b, "%s%s in %s, by %s.\n", strings.ToUpper(text[:1]), inline(text[1:]),
			visible.Count(len(l.Rounds), "round"), inline(finding.Some(plan.Unique(by), maxNamed)))
	}
	findings(b, "Found and fixed", l.With(finding.Fixed))
	findings(b, "Found and dismissed", l.With(finding.Dismissed))
	findings(b, "Found, and refuted by the verifier", l.With(finding.Refuted))
	blocking, open := l.blocking(), l.Standing()
	for i, f := range open {
		open[i].Because = cmp.Or(f.Because, Weight(f, blocking[f.ID]))
	}
	findings(b, "Open", slices.DeleteFunc(open, func(f finding.Finding) bool { return f.Unquoted() }))
}

func findings(b *strings.Builder, heading string, list []finding.Finding) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", heading)
	for _, f := range list {
		fmt.Fprintf(b, "- %s, %s %s: %s", code(f.Place()), f.Severity, f.Category, inline(f.Title))
		why := f.Because
		if f.By != "" {
			why = author(f) + ": " + why
		}
		if why != "" {
			fmt.Fprintf(b, " (%s)", inline(why))
		}
		b.WriteString("\n")
	}
}

// inline returns a foreign text on one line without markup, mentions of people and references to issues.
func inline(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;",
		"|", `\|`, "~", `\~`, "#", `\#`, "@", "@<!-- -->").Replace(finding.Line(s, finding.MaxText))
}

// code returns a foreign text as code on one line, with every blank, whatever quotes are in it.
func code(s string) string {
	return plan.CodeSpan(strings.ReplaceAll(finding.Block(s, finding.MaxText), "\n", " "))
}

// quoted returns the plan's own Markdown, approved by a person, without HTML and mentions.
func quoted(s string) string {
	return strings.NewReplacer("<", "&lt;", "@", "@<!-- -->").Replace(strings.TrimSpace(finding.Block(s, 4*finding.MaxText)))
}
