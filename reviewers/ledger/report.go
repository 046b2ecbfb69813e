package ledger

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
)

const maxNamed = 10 // the maximum number of names in a list

// Outcome is the result of a review.
type Outcome struct {
	Ledger  *Ledger
	Earlier bool  // an earlier verdict was valid, and nothing was started
	Later   error // incomplete: the limit or failure of an agent, after which the review can go on; else nil
}

// Text returns the open findings, the coverage, and the end with its reason. A finding that does not block takes one
// line; git plan show --review has its details.
func (l *Ledger) Text() string {
	text := l.Open(true)
	for _, line := range l.incomplete() {
		if !strings.Contains(l.Reason, strings.Replace(line, " did not judge", "", 1)) {
			text += line + "\n"
		}
	}
	return text + fmt.Sprintf("%s after %s: %s\n", l.End.Words(), visible.Count(len(l.Rounds), "round"), l.Reason)
}

// Open returns the blocking findings, with others all open ones, and the coverage.
func (l *Ledger) Open(others bool) string {
	text := l.findings(others, false)
	if len(l.Rounds) > 0 {
		text += l.Coverage() + "\n"
		if left := l.uncovered(); len(left) > 0 {
			text += fmt.Sprintf("judged only by the rules: %s\n", finding.Some(left, maxNamed))
		}
	}
	return text
}

// Earlier returns the report of an earlier review: its open and settled findings, and its end.
func (l *Ledger) Earlier() string {
	return fmt.Sprintf("%s%s%s: %s\n", l.findings(true, true), l.settled(), l.End.Words(), l.Reason)
}

// Of returns the report of the findings whose ID begins with id; "" without any.
func (l *Ledger) Of(id string) string {
	some := *l
	some.Findings = l.Named(id)
	return some.findings(true, true) + some.settled()
}

// settled returns a line for each finding that was fixed or explained away, and a blank line; "" without any.
func (l *Ledger) settled() string {
	var b strings.Builder
	for _, f := range slices.Concat(l.With(finding.Fixed), l.Explained()) {
		word := string(f.Status)
		if f.By != "" {
			word += " by " + author(f)
		}
		text := fmt.Sprintf("%s: %s: %s %s: %s (%s): %s", word, finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title,
			Short(f.ID), finding.Line(f.Because, finding.MaxTitle*2))
		b.WriteString(strings.TrimSuffix(text, ": ") + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// findings returns the blocking findings, with others all open ones, by file, and a blank line; "" without any. With
// whole, findings that do not block have their details, too.
func (l *Ledger) findings(others, whole bool) string {
	var b strings.Builder
	blocking := l.blocking()
	for _, f := range l.Standing() {
		blocks := blocking[f.ID]
		if !others && !blocks {
			continue
		}
		title := fmt.Sprintf("%s: %s %s: %s", finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title)
		weight := fmt.Sprintf("%s: %s; found by %s", Short(f.ID), Weight(f, blocks), strings.Join(f.Reviewers, ", "))
		if !whole && !blocks {
			b.WriteString(title + " (" + weight + ")\n")
			continue
		}
		b.WriteString(title + "\n")
		why, answer := l.Refused(f.ID)
		for _, part := range []struct{ name, text string }{
			{"why", f.Detail}, {"trigger", f.Trigger}, {string(f.Status), f.Because}, {"the fixer says", why},
			{"the verifier then", answer},
		} {
			if part.text != "" && part.name != string(finding.Open) { // the weight has the reason
				fmt.Fprintf(&b, "    %s: %s\n", part.name, finding.Line(part.text, finding.MaxTitle*2))
			}
		}
		b.WriteString("    " + weight + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// Refused returns why a fixer last refused to change a finding's code, and the answer of the verifier, who disagreed.
func (l *Ledger) Refused(id string) (why, answer string) {
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

func (l *Ledger) uncovered() []string {
	covered := l.Covered()
	for _, v := range l.Rounds[len(l.Rounds)-1].Reviewers {
		if v.Name == finding.RulesName { // they judge every file
			return slices.DeleteFunc(slices.Clone(v.Covered), func(p string) bool {
				_, judged := slices.BinarySearch(covered, p)
				return judged
			})
		}
	}
	return nil
}

// Unread returns the files that reviewers were shown in the last round and none ever judged.
func (l *Ledger) Unread() []string {
	return slices.DeleteFunc(l.uncovered(), func(p string) bool {
		return slices.ContainsFunc(l.Rounds[len(l.Rounds)-1].NotSent, func(n NotSent) bool { return n.Path == p })
	})
}

// Standing returns the open findings by file, line and ID.
func (l *Ledger) Standing() []finding.Finding {
	list := l.With(finding.Standing...)
	slices.SortStableFunc(list, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Explained returns the findings that the fixer dismissed, or the verifier refuted, in this review.
func (l *Ledger) Explained() []finding.Finding {
	if len(l.Rounds) == 0 && l.End == Explained {
		return l.With(finding.Dismissed, finding.Refuted)
	}
	return slices.DeleteFunc(l.With(finding.Dismissed, finding.Refuted), func(f finding.Finding) bool { return f.Round == 0 })
}

// judged returns the last round that judged the tree of HEAD, or else the last round.
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

// Blocking returns the open findings that keep the review from passing.
func (l *Ledger) Blocking() []finding.Finding {
	if l == nil {
		return nil
	}
	blocking := l.blocking()
	return slices.DeleteFunc(l.Standing(), func(f finding.Finding) bool { return !blocking[f.ID] })
}

// blocking returns the IDs of the findings that blocked when HEAD was judged, as a set, since there may be thousands.
func (l *Ledger) blocking() map[string]bool {
	set := map[string]bool{}
	for _, id := range l.judged().Blocking {
		set[id] = true
	}
	return set
}

// Weight returns "blocks", or why an open finding does not block.
func Weight(f finding.Finding, blocks bool) string {
	switch {
	case blocks:
		return "blocks"
	case f.NonBlocking:
		return "advice"
	case f.Unquoted():
		return f.Unplaced()
	case f.Status == finding.Open && f.Because != "":
		return f.Because
	}
	return "note"
}

// Missing returns the names of those who gave no answer in the last round, and are to be asked again.
func (l *Ledger) Missing() (names []string) {
	if len(l.Rounds) == 0 {
		return nil
	}
	last := l.Rounds[len(l.Rounds)-1]
	if last.Earlier { // this review asked no reviewer
		return nil
	}
	if last.Verifier != nil {
		last.Reviewers = append(slices.Clone(last.Reviewers), *last.Verifier)
	}
	for _, v := range last.Reviewers {
		if v.Incomplete != "" {
			names = append(names, v.Name)
		}
	}
	if last.Fix != nil && last.Fix.Status.Transient() {
		names = append(names, "fixer")
	}
	return names
}

// incomplete returns a line for each reason for which reviewers gave no answer, with their names.
func (l *Ledger) incomplete() (out []string) {
	if n := len(l.Rounds); n > 0 {
		all := l.Rounds[n-1].Reviewers
		for _, v := range all {
			line := Silent(all, v.Incomplete) + " did not judge: " + finding.Line(v.Incomplete, finding.MaxTitle)
			if v.Incomplete != "" && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// Silent names the reviewers that gave no answer for a reason.
func Silent(all []Reviewed, why string) string {
	var names []string
	for _, v := range all {
		if v.Incomplete == why {
			names = append(names, v.Name)
		}
	}
	return "reviewer" + map[bool]string{true: "s"}[len(names) > 1] + " " + strings.Join(names, ", ")
}

// Coverage returns a line such as "reviewed 41 of 44 files (3 not sent: 1 generated, 2 lock)".
func (l *Ledger) Coverage() string {
	if len(l.Rounds) == 0 {
		return "reviewed nothing"
	}
	last := l.Rounds[len(l.Rounds)-1]
	text := fmt.Sprintf("reviewed %d of %s", min(len(l.Covered()), last.Files), visible.Count(last.Files, "file"))
	if len(last.NotSent) == 0 {
		return text
	}
	kinds := map[string]int{}
	for _, n := range last.NotSent {
		kinds[n.Why]++
	}
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%d %s", kinds[why], why))
	}
	return fmt.Sprintf("%s (%d not sent: %s)", text, len(last.NotSent), strings.Join(parts, ", "))
}

// WriteSARIF prints the open findings as SARIF, and dismissed ones as suppressed; a missing answer is not a success.
func (l *Ledger) WriteSARIF(w io.Writer, version string) error {
	file := ""
	for _, r := range l.Rounds {
		for _, v := range r.Reviewers {
			if len(v.Covered) > 0 {
				file = v.Covered[0]
			}
		}
	}
	return finding.SARIF{
		Version: version, File: file,
		Succeeded: l.End != Incomplete && l.End != Budget && l.End != Moved, Errors: l.incomplete(),
		Note: fmt.Sprintf("%s: %s", l.End, l.Reason), Findings: append(l.Standing(), l.With(finding.Dismissed)...),
	}.Write(w)
}
