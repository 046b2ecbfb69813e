package reviewers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Settled is the effect of a person's decision on a review.
type Settled struct {
	Finding  finding.Finding
	Blocking int  // the number of findings that still block
	Passes   bool // the review passes now, without another round
}

// settling is a person's decision about a finding of the last review.
type settling struct {
	c       *checkout.Checkout
	by      string // the person's name and e-mail address
	ledger  *ledger.Ledger
	finding *finding.Finding
	note    journal.Note      // the file of all
	all     ledger.Dismissals // the decisions about all findings of the branch
}

// keep writes the decision, and then the ledger with an event: until then the finding blocks.
func (s *settling) keep(ctx context.Context, kind journal.Kind, reason string) error {
	if err := s.note.Save(s.all); err != nil {
		return err
	}
	return keepLedger(ctx, s.c, s.ledger,
		journal.Event{By: journal.ByPerson, Head: s.ledger.Head, Kind: kind, Reason: reason, Finding: s.finding.ID})
}

// Dismiss records that a person dismisses a finding, by the beginning of its ID, until the code that it quotes changes.
// If the last review judged exactly these files and nothing else blocks, it passes.
func Dismiss(ctx context.Context, c *checkout.Checkout, id, why string) (*Settled, error) {
	s, err := settlingOf(ctx, c, id)
	if err != nil {
		return nil, err
	}
	l, f := s.ledger, s.finding
	if !slices.Contains(finding.Standing, f.Status) {
		return nil, fault.New(fault.ErrSettled, "finding %s is not open: it is %s", ledger.Short(f.ID), f.Status)
	}
	word := ledger.Dismissal{
		By: s.by, Why: finding.Line(why, finding.MaxText), Answer: s.all[f.ID].Answer, At: time.Now().UTC(),
		Was: f.Status, Because: f.Because, Content: ledger.Content(f, rules.FilesOf(ctx, c.Repo, "HEAD")),
	}
	s.all[f.ID] = word
	f.Status, f.Because, f.By = finding.Dismissed, word.Why, word.By
	out := &Settled{Finding: *f, Blocking: len(l.Blocking())}
	if out.Blocking == 0 {
		out.Passes, err = s.pass(ctx, fmt.Sprintf("by %s; nothing else blocks", strings.TrimSpace(strings.Split(s.by, "<")[0])))
	}
	if err != nil {
		return nil, err
	}
	return out, s.keep(ctx, journal.Dismissed, word.Why)
}

// Restore takes a dismissal back: the finding has its earlier status again, and the answer about it, if any.
func Restore(ctx context.Context, c *checkout.Checkout, id string) (*Settled, error) {
	s, err := settlingOf(ctx, c, id)
	if err != nil {
		return nil, err
	}
	l, f := s.ledger, s.finding
	word := s.all[f.ID]
	if word.Why == "" {
		return nil, fault.New(fault.ErrSettled, "finding %s was not dismissed in this clone", ledger.Short(f.ID))
	}
	if delete(s.all, f.ID); word.Answer != "" {
		s.all[f.ID] = ledger.Dismissal{By: word.By, Answer: word.Answer, At: word.At}
	}
	if f.By != "" {
		f.Status, f.Because, f.By = word.Was, word.Because, ""
	}
	if bar, _ := BlockOn(c); f.Blocks(bar) {
		l.Block(f.ID)
	}
	out := &Settled{Finding: *f, Blocking: len(l.Blocking())}
	if out.Blocking > 0 && l.End.Passes() {
		ledger.RemoveVerdicts(integrity.VerdictDir(c.Repo), l.HeadTree)
		l.End, l.Reason = ledger.Found, visible.Count(out.Blocking, "finding")+" dismissed before and open again"
	}
	return out, s.keep(ctx, journal.Restored, "")
}

// Answer records a person's answer to a fixer that asked about a finding; the next review's fixer reads it.
func Answer(ctx context.Context, c *checkout.Checkout, id, text string) (*finding.Finding, error) {
	s, err := settlingOf(ctx, c, id)
	if err != nil {
		return nil, err
	}
	f := s.finding
	if !f.AsksPerson() {
		return nil, fault.New(fault.ErrSettled, "there is no question about finding %s: it is %s", ledger.Short(f.ID), f.Status)
	}
	f.Answer = finding.Line(text, finding.MaxText)
	s.all[f.ID] = ledger.Dismissal{By: s.by, Answer: f.Answer, At: time.Now().UTC()}
	f.Status, f.Remedy = finding.Confirmed, "fix"
	s.ledger.End, s.ledger.Reason = ledger.Found, "a person answered what the fixer asked"
	return f, s.keep(ctx, journal.Answered, f.Answer)
}

// settlingOf reads the last review, its finding whose ID begins with id, and the decisions about its findings.
func settlingOf(ctx context.Context, c *checkout.Checkout, id string) (*settling, error) {
	l, err := ledger.Last(ctx, c.Store, c.Doc, c.Branch)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, fault.New(fault.ErrNotReviewed, "the branch has not been reviewed yet")
	}
	switch found := l.Named(id); len(found) {
	case 1:
		if err := c.Store.KnowsWho(ctx); err != nil {
			return nil, err
		}
		who, err := c.Store.Who(ctx)
		name, _, _ := strings.Cut(string(who), ">")
		note := integrity.DismissalNote(c.Repo, c.Loaded(), c.Branch)
		return &settling{c: c, by: finding.Line(name+">", finding.MaxTitle), ledger: l, finding: l.Finding(found[0].ID),
			note: note, all: ledger.ReadDismissals(note)}, err
	case 0:
		return nil, fault.New(fault.ErrUnknownFinding, "the last review has no finding %s", finding.Line(id, 40))
	default:
		var list []string
		for _, f := range found {
			list = append(list, fmt.Sprintf("    %s %s: %s", f.ID, finding.ShowPath(f.Place()), f.Title))
		}
		return nil, &fault.Fault{Kind: fault.ErrUnknownFinding, Text: finding.Line(id, 40) + " is ambiguous:",
			Cause: errors.New(strings.Join(list, "\n"))}
	}
}

// pass passes a review whose last blocking finding was dismissed, if all reviewers judged the present files. It does
// not if that review has no verdict, since the plan or the reviewers have changed, or if a reviewer of the last look is
// still to be asked. An answer about a finding leaves the verdict as it was.
func (s *settling) pass(ctx context.Context, why string) (bool, error) {
	c, l := s.c, s.ledger
	head, err := c.Repo.ReadCommit(ctx, "HEAD")
	if err != nil || !l.End.Repairable() || head.Tree != l.HeadTree || len(l.Only) > 0 {
		return false, err
	}
	l.Reason = "dismissed " + why
	all, err := Configured(ctx, c, l.Base, nil, nil)
	if err != nil {
		return false, nil // unknown
	}
	j, err := judgeable(ctx, c, c.Doc, all, l.Base, l.Head)
	looksLast := func(r *panel.Reviewer) bool { return r.Rounds == panel.Last }
	if err != nil || slices.ContainsFunc(all, looksLast) {
		return false, err
	}
	dir, open := integrity.VerdictDir(c.Repo), func(id string) bool { return s.all[id].Why == "" }
	if v := ledger.LoadVerdict(dir, j); v == nil || !v.End.Repairable() || slices.ContainsFunc(v.Blocking, open) {
		return false, nil
	}
	l.End, l.Reason = ledger.Explained, why
	return true, ledger.SaveVerdict(dir, j, l.Verdict())
}

// Dismissed returns the dismissals for a branch in this clone; doc is nil if the branch has no plan.
func Dismissed(c *checkout.Checkout, doc *journal.Document, branch string) ledger.Dismissals {
	id := ""
	if doc != nil {
		id = doc.ID
	}
	return ledger.ReadDismissals(integrity.DismissalNote(c.Repo, id, branch))
}
