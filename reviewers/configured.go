package reviewers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

const personaFolder = ".gitplan/reviewers"

// Configured returns the reviewers of a branch that only or, if it is nil, plan.reviewers selects, in a stable order:
// built-in personas, those of the base commit, which may replace built-in ones, and commands. b runs them; with a nil b
// they can only be listed.
func Configured(ctx context.Context, c *checkout.Checkout, base string, only []string, b *Branch) ([]*panel.Reviewer, error) {
	own, err := repositoryPersonas(ctx, c.Repo, base)
	if err != nil {
		return nil, err
	}
	names, kind := c.Config.List("plan.reviewers"), fault.ErrAgentSetup
	if only != nil {
		names, kind = only, fault.ErrNoSuchReviewer
	}
	if len(names) == 0 {
		names = []string{panel.Auto}
	}
	auto := slices.Contains(names, panel.Auto)
	var all []*panel.Reviewer
	commands := c.Config.Git.Subsections("planReviewer", "command")
	owned := func(p panel.Persona) bool {
		return slices.ContainsFunc(own, func(o panel.Persona) bool { return o.Name == p.Name })
	}
	for _, p := range append(slices.DeleteFunc(panel.Personas(), owned), own...) {
		if slices.Contains(commands, p.Name) { // no file of the repository replaces a person's own command
			continue
		}
		if model, ok := c.Config.Get("planReviewer." + p.Name + ".model"); ok {
			p.Model = model
		}
		r := &panel.Reviewer{Persona: p, Auto: auto && !owned(p) && !slices.Contains(names, p.Name)}
		if b != nil {
			r.RunSession, r.Shares = b.runSession(p.Agent), onlyReads(c, agent.Reviewer, p.Agent)
		}
		all = append(all, r)
	}
	timeout, err := c.Config.DurationOf("plan.reviewer.timeout", c.Config.Role(agent.Reviewer, "timeout"))
	if err != nil {
		return nil, err
	}
	for _, name := range commands {
		line, _ := c.Config.Get("planReviewer." + name + ".command")
		command := &panel.Command{Line: line, Timeout: timeout}
		if b != nil { // in the sandbox, since it runs what sessions wrote
			command.Env, command.Confine = b.Checkout.Config.Environment(nil), b.Worker.Runner.Confine
			if sandboxed, _ := b.Checkout.Config.Word("plan.hooksSandbox"); sandboxed == "off" { // an invalid value is on
				command.Env, command.Confine = b.Checkout.Config.PersonsEnvironment(), nil
			}
		}
		all = append(all, &panel.Reviewer{Persona: panel.Persona{Name: name, Blocking: true}, Command: command})
	}
	return selected(all, names, kind)
}

// selected returns the named reviewers; "all" and "auto" name every one. kind is the error of an unknown name.
func selected(all []*panel.Reviewer, names []string, kind error) ([]*panel.Reviewer, error) {
	var known []string
	for _, r := range all {
		known = append(known, r.Name)
	}
	known = append(known, "all", panel.Auto)
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, &fault.Fault{Kind: kind,
				Text:    fmt.Sprintf("there is no reviewer %q; the reviewers are %s", n, strings.Join(known, ", ")),
				Setting: "plan.reviewers", Next: "fix the setting: git config plan.reviewers " + panel.Auto}
		}
	}
	if slices.Contains(names, "all") || slices.Contains(names, panel.Auto) {
		return all, nil
	}
	return slices.DeleteFunc(all, func(r *panel.Reviewer) bool { return !slices.Contains(names, r.Name) }), nil
}

func repositoryPersonas(ctx context.Context, r *git.Repo, base string) ([]panel.Persona, error) {
	folder, err := r.Read(ctx, base+":"+personaFolder)
	if err != nil || folder.Type != "tree" {
		return nil, nil
	}
	entries, err := git.ParseTree(folder.Data, r.Format)
	if err != nil {
		return nil, err
	}
	var out []panel.Persona
	for _, e := range entries {
		if !strings.HasSuffix(e.Name, ".md") {
			continue
		}
		o, err := r.Read(ctx, e.OID)
		if err != nil {
			return nil, err
		}
		p, err := panel.ParsePersona(o.Data)
		if slices.ContainsFunc(out, func(o panel.Persona) bool { return err == nil && o.Name == p.Name }) {
			err = fmt.Errorf("another file has a reviewer with the name %s", p.Name)
		}
		if err != nil {
			return nil, &fault.Fault{Kind: fault.ErrReviewerFile,
				Text: fmt.Sprintf("%s/%s: %v", personaFolder, finding.ShowPath(e.Name), err)}
		}
		out = append(out, p)
	}
	return out, nil
}

// guidelines returns REVIEW.md and AGENTS.md of the base commit, so that a branch cannot influence its reviewers.
func guidelines(ctx context.Context, r *git.Repo, base string) string {
	var b strings.Builder
	for _, name := range []string{"REVIEW.md", "AGENTS.md"} {
		if o, err := r.Read(ctx, base+":"+name); err == nil && o.Type == "blob" {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", name, finding.Cut(string(o.Data), 16<<10))
		}
	}
	return b.String()
}

// Known returns the verdict for exactly these trees, reviewers and meaning of the plan (doc, or nil); nil without one.
func Known(ctx context.Context, c *checkout.Checkout, doc *journal.Document, mergeBase,
	head string) (*ledger.Verdict, error) {
	all, err := Configured(ctx, c, mergeBase, nil, nil)
	if err != nil {
		return nil, err
	}
	j, err := judgeable(ctx, c, doc, all, mergeBase, head)
	return ledger.LoadVerdict(integrity.VerdictDir(c.Repo), j), err
}

// judgeable returns the identity of a verdict.
func judgeable(ctx context.Context, c *checkout.Checkout, doc *journal.Document, all []*panel.Reviewer, mergeBase,
	head string) (j ledger.Judgeable, err error) {
	j.Reviewers = panel.Digest(all)
	j.BlockOn, _ = BlockOn(c) // callers report an invalid value
	if doc != nil {
		j.Meaning = doc.Plan.Digest()
	}
	if j.BaseTree, err = c.Repo.Resolve(ctx, mergeBase+"^{tree}"); err == nil {
		j.HeadTree, err = c.Repo.Resolve(ctx, head+"^{tree}")
	}
	return j, err
}

// BlockOn returns plan.blockOn, the severity from which a finding blocks; if it is invalid, the lowest, and the error.
func BlockOn(c *checkout.Checkout) (finding.Severity, error) {
	word, err := c.Config.Word("plan.blockOn")
	return finding.Severity(word), err
}

// Unreviewable returns the error with which a later review would refuse a setting or a reviewer.
func Unreviewable(ctx context.Context, w *work.Worker) error {
	if _, err := BlockOn(w.Runner.Checkout); err != nil {
		return err
	}
	if _, err := w.Checkout.Config.Int("plan.reviewRounds"); err != nil {
		return err
	}
	for _, role := range []agent.Role{agent.Reviewer, agent.Verifier, agent.Fixer} {
		if err := w.SetLimits(&agent.Session{}, role); err != nil {
			return err
		}
	}
	_, err := OfBase(ctx, w.Runner.Checkout, w.Checkout.Doc.Plan.Base)
	if errors.Is(err, fault.ErrAgentSetup) || errors.Is(err, fault.ErrReviewerFile) {
		return err
	}
	return nil
}

// OfBase returns the reviewers of a branch as its base has them now. Finding the merge base would cost a git process.
func OfBase(ctx context.Context, c *checkout.Checkout, planBase string) ([]*panel.Reviewer, error) {
	base, err := c.Base(ctx, planBase)
	if err != nil {
		return nil, err
	}
	return Configured(ctx, c, cmp.Or(base, c.Repo.EmptyTree()), nil, nil)
}

// onlyReads reports whether neither the agent of a role nor its fallback is able to write in a session without write
// access.
func onlyReads(c *checkout.Checkout, role agent.Role, name string) bool {
	a, err := roleAgent(c, role, name)
	other, ferr := c.Config.Fallback(role)
	if err != nil || ferr != nil {
		return false
	}
	return !a.MayWrite() && (other == nil || !other.MayWrite())
}

func roleAgent(c *checkout.Checkout, role agent.Role, name string) (agent.Agent, error) {
	if name != "" {
		return c.Config.NamedAgent(name, role)
	}
	return c.Config.Agent(role)
}

// Expected returns the maximum numbers of reviewer sessions in a round, and of rounds; 0 if unknown.
func Expected(ctx context.Context, c *checkout.Checkout) (sessions, rounds int) {
	list, _ := OfBase(ctx, c, c.Doc.Plan.Base)
	for _, r := range list {
		if r.Command == nil {
			sessions++
		}
	}
	rounds, _ = c.Config.Int("plan.reviewRounds")
	return sessions, rounds
}
