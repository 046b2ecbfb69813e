package ledger

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/reviewers/finding"
)

// Outcome is how a review ended.
type Outcome struct {
	End    End
	Reason string // one line
	Later  error  // incomplete: the same review goes on later, since somebody was limited or out of reach
	Ledger *Ledger
}

// WriteText prints an outcome for people: the open findings, what was judged, what it cost, and
// the end with its reason as the last line.
func (o *Outcome) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(o.findings())
	for _, l := range o.incomplete() {
		b.WriteString(l + "\n")
	}
	if len(o.Ledger.Rounds) > 0 {
		b.WriteString(o.Coverage() + "\n")
		if left := o.uncovered(); len(left) > 0 {
			fmt.Fprintf(&b, "judged only by the rules: %s\n", some(left))
		}
	}
	for i := range o.Ledger.Rounds {
		if !o.Ledger.Rounds[i].Earlier {
			b.WriteString(o.Ledger.Rounds[i].used())
		}
	}
	fmt.Fprintf(&b, "%s after %s: %s\n", o.End.words(), finding.Count(len(o.Ledger.Rounds), "round"), o.Reason)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteEarlier prints an earlier outcome for people: what is still open, what is not and
// why, and its end. Its cost was printed then.
func (o *Outcome) WriteEarlier(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s%s%s: %s\n", o.findings(), o.settled(), o.End, o.Reason)
	return err
}

// settled returns the findings that were fixed, and those that somebody explained away, a
// line each with the reason, and a blank line; empty without any.
func (o *Outcome) settled() string {
	var b strings.Builder
	for _, f := range slices.Concat(o.Ledger.With(finding.Fixed), o.Ledger.Explained()) {
		text := fmt.Sprintf("%s: %s: %s %s %s: %s", settledWord(f), finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title, finding.Line(f.Because, finding.MaxTitle*2))
		b.WriteString(strings.TrimSuffix(text, ": ") + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// findings returns the open ones, by file, and a blank line; empty without any.
func (o *Outcome) findings() string {
	var b strings.Builder
	blocking := setOf(o.Ledger.judged().Blocking)
	for _, f := range o.Standing() {
		fmt.Fprintf(&b, "%s: %s %s %s\n", finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title)
		why, answer := o.Ledger.refused(f.ID)
		for _, part := range []struct{ name, text string }{
			{"why", f.Detail}, {"trigger", f.Trigger}, {string(f.Status), f.Because}, {"the fixer says", why}, {"the verifier then", answer},
		} {
			if part.text != "" {
				fmt.Fprintf(&b, "    %s: %s\n", part.name, finding.Line(part.text, finding.MaxTitle*2))
			}
		}
		fmt.Fprintf(&b, "    %s, %s (%s)\n", Weight(f, blocking[f.ID]), strings.Join(f.Reviewers, ", "), Short(f.ID))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// refused returns why a fixer would not change what a finding is about, in its latest
// words, and what the verifier, who did not agree, answered; both empty if none said so.
func (l *Ledger) refused(id string) (why, answer string) {
	for _, r := range l.Rounds {
		if r.Fix == nil {
			continue
		}
		for _, d := range r.Fix.Dispositions {
			if d.ID == id && finding.Status(d.Disposition) == finding.Dismissed {
				j := r.Fix.Verified[id]
				why, answer = d.Because, strings.TrimSuffix(fmt.Sprintf("%s: %s", j.Answer, j.Because), ": ")
			}
		}
	}
	return why, answer
}

// some names up to ten of a list.
func some(list []string) string {
	const most = 10
	shown := make([]string, 0, most)
	for _, s := range list[:min(len(list), most)] {
		shown = append(shown, finding.ShowPath(s))
	}
	text := strings.Join(shown, ", ")
	if len(list) > most {
		text += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return text
}

// uncovered returns the changed files that no reviewer says it judged.
func (o *Outcome) uncovered() []string {
	last := o.Ledger.Rounds[len(o.Ledger.Rounds)-1]
	covered := setOf(o.Ledger.Covered())
	var out []string
	for _, v := range last.Reviewers {
		if v.Name != finding.RulesName {
			continue
		}
		for _, p := range v.Covered { // the rules judge every file
			if !covered[p] {
				out = append(out, p)
			}
		}
	}
	return out
}

// firstFile returns the first file that the branch changed, which the rules judge all; "" if
// nobody knows one.
func (o *Outcome) firstFile() string {
	for _, r := range slices.Backward(o.Ledger.Rounds) {
		for _, v := range r.Reviewers {
			if len(v.Covered) > 0 {
				return v.Covered[0]
			}
		}
	}
	for _, f := range o.Ledger.Findings {
		if f.File != "" {
			return f.File
		}
	}
	return ""
}

func (l *Ledger) Standing() []finding.Finding {
	return l.With(finding.Standing...)
}

// Standing returns the findings that are open at the end, in the order of file,
// line and ID.
func (o *Outcome) Standing() []finding.Finding {
	list := o.Ledger.Standing()
	slices.SortStableFunc(list, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Explained returns those that the fixer dismissed, and those that the verifier refuted,
// in this review: what an earlier one dismissed is kept only so that it is not raised
// again. If only the verdict of a review is left, nobody knows which they were.
func (l *Ledger) Explained() []finding.Finding {
	if len(l.Rounds) == 0 && l.End == Explained {
		return l.With(finding.Dismissed, finding.Refuted)
	}
	return slices.DeleteFunc(l.With(finding.Dismissed, finding.Refuted), func(f finding.Finding) bool { return f.Round == 0 })
}

// judged returns the last round that judged the files as they are now; if none did, the
// last one.
func (l *Ledger) judged() (r Round) {
	for _, r = range slices.Backward(l.Rounds) {
		if r.Tree == l.HeadTree {
			return r
		}
	}
	if n := len(l.Rounds); n > 0 {
		r = l.Rounds[n-1]
	}
	return r
}

// Blocking returns the open findings that keep the branch from being good.
func (l *Ledger) Blocking() []finding.Finding {
	blocking := setOf(l.judged().Blocking)
	return slices.DeleteFunc(l.Standing(), func(f finding.Finding) bool { return !blocking[f.ID] })
}

// Between says which findings a fixer that went back to earlier files had to choose from.
func (l *Ledger) Between() string {
	said := func(r Round) string {
		var out []string
		for _, id := range r.Blocking {
			f := l.Finding(id)
			out = append(out, fmt.Sprintf("%q (%s)", f.Title, strings.Join(f.Reviewers, ", ")))
		}
		return strings.Join(out, ", ")
	}
	return said(l.judged()) + " against " + said(l.Rounds[len(l.Rounds)-1])
}

// Weight says what a standing finding does: blocks, or why not.
func Weight(f finding.Finding, blocks bool) string {
	switch {
	case blocks:
		return "blocks"
	case f.NonBlocking:
		return "advice"
	case f.Unquoted():
		return f.Unplaced()
	}
	return "note"
}

// Missing returns the reviewers, the verifier or the fixer who gave no answer in the last round:
// the next review asks only these again. agents says that not all of them are commands.
func (l *Ledger) Missing() (names []string, agents bool) {
	if len(l.Rounds) == 0 {
		return nil, false
	}
	last := l.Rounds[len(l.Rounds)-1]
	if last.Earlier { // nobody was asked
		return nil, false
	}
	if last.Verifier != nil {
		last.Reviewers = append(slices.Clone(last.Reviewers), *last.Verifier)
	}
	for _, v := range last.Reviewers {
		if v.Incomplete != "" {
			names, agents = append(names, v.Name), agents || v.Agent != ""
		}
	}
	if last.Fix != nil && last.Fix.Status.Transient() {
		names, agents = append(names, "fixer"), true
	}
	return names, agents
}

// incomplete says which reviewers gave no answer, and why.
func (o *Outcome) incomplete() []string {
	var out []string
	if n := len(o.Ledger.Rounds); n > 0 {
		names := map[string][]string{} // by the reason, which is often one for all
		var reasons []string
		for _, v := range o.Ledger.Rounds[n-1].Reviewers {
			if v.Incomplete != "" && names[v.Incomplete] == nil {
				reasons = append(reasons, v.Incomplete)
			}
			names[v.Incomplete] = append(names[v.Incomplete], v.Name)
		}
		for _, why := range reasons {
			who := "reviewer "
			if len(names[why]) > 1 {
				who = "reviewers "
			}
			out = append(out, fmt.Sprintf("%s%s gave no answer: %s", who, strings.Join(names[why], ", "), finding.Line(why, finding.MaxTitle)))
		}
	}
	return out
}

// Coverage says how many of the changed files were judged by somebody other
// than the rules, and which kinds were not shown:
// "reviewed 41 of 44 files (3 not sent: 2 lock, 1 generated)".
func (o *Outcome) Coverage() string {
	if len(o.Ledger.Rounds) == 0 {
		return "reviewed nothing"
	}
	last := o.Ledger.Rounds[len(o.Ledger.Rounds)-1]
	text := fmt.Sprintf("reviewed %d of %s", min(len(o.Ledger.Covered()), last.Files), finding.Count(last.Files, "file"))
	if len(last.NotSent) == 0 {
		return text
	}
	kinds := map[string]int{}
	var order []string
	for _, n := range last.NotSent {
		if kinds[n.Why]++; kinds[n.Why] == 1 {
			order = append(order, n.Why)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Or(kinds[b]-kinds[a], cmp.Compare(a, b)) })
	parts := make([]string, len(order))
	for i, why := range order {
		parts[i] = fmt.Sprintf("%d %s", kinds[why], why)
	}
	return fmt.Sprintf("%s (%d not sent: %s)", text, len(last.NotSent), strings.Join(parts, ", "))
}

// WriteSARIF prints an outcome as SARIF: the open findings, and as suppressed those that
// were dismissed. A review that does not pass because an answer is missing is a run that
// did not succeed. The version is that of this program.
func (o *Outcome) WriteSARIF(w io.Writer, version string) error {
	return finding.SARIF{
		Version: version, File: o.firstFile(),
		Succeeded: o.End != Incomplete && o.End != Budget && o.End != Moved, Errors: o.incomplete(),
		Note: fmt.Sprintf("%s: %s", o.End, o.Reason), Findings: append(o.Standing(), o.Ledger.With(finding.Dismissed)...),
	}.Write(w)
}

// WriteRDJSONL prints the open findings for reviewdog -f=rdjsonl.
func (o *Outcome) WriteRDJSONL(w io.Writer) error { return finding.WriteRDJSONL(w, o.Standing()) }
