package reviewers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// personaFolder is where a repository keeps personas of its own.
const personaFolder = ".gitplan/reviewers"

// Configured returns the reviewers of a branch, in a stable order: the built-in
// personas, with those of the repository as the base commit has them, then the
// commands of the configuration. plan.reviewers selects among them. hold runs the
// personas' sessions; it may be nil if nobody is asked. With "auto" those of the built-in
// personas that are not named by themselves wait for changes that call for them.
func Configured(ctx context.Context, c *checkout.Checkout, base string, only []string, hold func(agentName string) panel.RunSession) ([]panel.Reviewer, error) {
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
	var all []panel.Reviewer
	for _, p := range panel.Replace(panel.Personas(), own) {
		owned := slices.ContainsFunc(own, func(o panel.Persona) bool { return o.Name == p.Name })
		r := &panel.Panelist{Persona: p, Auto: auto && !owned && !slices.Contains(names, p.Name)}
		if hold != nil {
			r.RunSession, r.Primes = hold(p.Agent), onlyReads(c, agent.Reviewer, p.Agent)
			r.Shares = r.Primes
		}
		all = append(all, r)
	}
	timeout, err := c.Config.DurationOf("plan.reviewer.timeout", c.Config.Role(agent.Reviewer, "timeout"))
	if err != nil {
		return nil, err
	}
	for _, name := range c.Config.Names("planReviewer", "command") {
		line, _ := c.Config.Get("planReviewer." + name + ".command")
		all = append(all, &panel.Command{CommandName: name, Line: line, Env: c.Config.PersonsEnvironment(), Timeout: timeout})
	}
	return selected(all, names, kind)
}

// selected returns the named reviewers, and every one for "all" or "auto". An unknown name is an
// error of the given kind.
func selected(all []panel.Reviewer, names []string, kind error) ([]panel.Reviewer, error) {
	whole := false
	var out []panel.Reviewer
	for _, n := range names {
		if n == "all" || n == panel.Auto {
			whole = true
			continue
		}
		i := slices.IndexFunc(all, func(r panel.Reviewer) bool { return r.Name() == n })
		if i < 0 {
			var known []string
			for _, r := range all {
				known = append(known, r.Name())
			}
			known = append(known, "all", panel.Auto)
			meant := slices.Clone(names)
			if meant[slices.Index(meant, n)] = plan.Nearest(n, known); slices.Contains(meant, "") {
				meant = []string{panel.Auto}
			}
			return nil, &fault.Fault{Kind: kind, Text: fmt.Sprintf("there is no reviewer %q; there are %s", n, strings.Join(known, ", ")), Setting: "plan.reviewers",
				Next: "fix the setting: git config plan.reviewers " + visible.Shell(strings.Join(meant, ","))}
		}
		out = append(out, all[i])
	}
	if whole {
		return all, nil
	}
	return out, nil
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
		if err != nil {
			return nil, &fault.Fault{Kind: fault.ErrReviewerFile, Text: fmt.Sprintf("%s/%s: %v", personaFolder, finding.ShowPath(e.Name), err)}
		}
		out = append(out, p)
	}
	return out, nil
}

// guidelineFiles are what a repository says to those who judge its changes.
var guidelineFiles = []string{"REVIEW.md", "AGENTS.md"}

// guidelines reads them as the base commit has them, so that a branch cannot
// influence its own judges.
func guidelines(ctx context.Context, r *git.Repo, base string) string {
	var b strings.Builder
	for _, name := range guidelineFiles {
		if o, err := r.Read(ctx, base+":"+name); err == nil && o.Type == "blob" {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", name, finding.Cut(string(o.Data), 16<<10))
		}
	}
	return b.String()
}

// Known returns the verdict for exactly these two trees, these reviewers and this
// meaning of the plan; nil without one. It starts nothing.
func Known(ctx context.Context, c *checkout.Checkout, p *plan.Plan, mergeBase, head string) (*ledger.Verdict, error) {
	all, err := Configured(ctx, c, mergeBase, nil, nil)
	if err != nil {
		return nil, err
	}
	key, err := verdictKeyOf(ctx, c, p, all, mergeBase, head)
	if err != nil {
		return nil, err
	}
	return ledger.LoadVerdict(integrity.VerdictDir(c.Repo), key), nil
}

func verdictKeyOf(ctx context.Context, c *checkout.Checkout, p *plan.Plan, all []panel.Reviewer, mergeBase, head string) (string, error) {
	bar, _ := BlockOn(c) // the gate says what is wrong with it, a review has refused it
	base, err := c.Repo.Resolve(ctx, mergeBase+"^{tree}")
	if err != nil {
		return "", err
	}
	tree, err := c.Repo.Resolve(ctx, head+"^{tree}")
	return keyOf(p, all, bar, base, tree), err
}

// keyOf returns the key of a verdict about two trees; without trees, what a review is about besides them.
func keyOf(p *plan.Plan, all []panel.Reviewer, bar finding.Severity, base, head string) string {
	j := ledger.Judgeable{BaseTree: base, HeadTree: head, Reviewers: panel.Digest(all), BlockOn: bar}
	if p != nil {
		j.Meaning = p.Digest()
	}
	return j.Key()
}

// BlockOn returns plan.blockOn, the severity from which a finding blocks. If that is not
// a severity, it returns the lowest with the error.
func BlockOn(c *checkout.Checkout) (finding.Severity, error) {
	word, err := c.Config.Word("plan.blockOn")
	return finding.Severity(word), err
}

// Unreviewable returns the error with which a review of the plan would refuse a setting or
// a reviewer of the repository, so that it is reported before the first step and not when
// all is done. Whether there are agents to judge is left to the review: a step may need none.
func Unreviewable(ctx context.Context, w *work.Worker) error {
	if _, err := BlockOn(w.Runner.Checkout); err != nil {
		return err
	}
	if _, err := w.Checkout.Config.Int("plan.reviewRounds"); err != nil {
		return err
	}
	for _, role := range []agent.Role{agent.Reviewer, agent.Verifier, agent.Fixer} {
		if err := w.SetTimeouts(&work.Task{Role: role}); err != nil {
			return err
		}
	}
	base, err := w.Runner.Checkout.Base(ctx, w.Checkout.Doc.Plan.Base)
	if err != nil {
		return nil // not the fault of a setting, and left to the review
	}
	_, err = Configured(ctx, w.Runner.Checkout, judgedAgainst(ctx, w.Checkout.Repo, base), nil, nil)
	if errors.Is(err, fault.ErrAgentSetup) || errors.Is(err, fault.ErrReviewerFile) {
		return err
	}
	return nil
}

// judgedAgainst returns the commit whose reviewers a review reads. Finding it costs a git
// process, which is saved if base and branch have the same ones.
func judgedAgainst(ctx context.Context, r *git.Repo, base string) string {
	if base == "" {
		return r.EmptyTree()
	}
	theirs, terr := r.Read(ctx, base+":"+personaFolder)
	ours, oerr := r.Read(ctx, "HEAD:"+personaFolder)
	if (terr == nil) == (oerr == nil) && theirs.OID == ours.OID {
		return base
	}
	if left, err := r.MergeBase(ctx, base, "HEAD"); err == nil {
		return left
	}
	return base
}

// onlyReads reports whether the sessions of a role have no way to write: the role's agent
// and its fallback are built in. A program may write.
func onlyReads(c *checkout.Checkout, role agent.Role, name string) bool {
	a, err := roleAgent(c, role, name)
	other, ferr := c.Config.Fallback(role)
	if err != nil || ferr != nil {
		return false
	}
	_, reads := a.(*builtin.Agent)
	_, otherReads := other.(*builtin.Agent)
	return reads && (other == nil || otherReads)
}

// roleAgent returns the agent of a role, or the one that a persona names.
func roleAgent(c *checkout.Checkout, role agent.Role, name string) (agent.Agent, error) {
	if name != "" {
		return c.Config.NamedAgent(name, role)
	}
	return c.Config.Agent(role)
}

// Expected returns how many reviewers a review of the plan would ask in a round, as far as they
// are sessions of agents, and how many rounds it may have; 0 if nothing is known of it yet. The
// fewest are those that judge any change, and those that the files named by steps call for.
func Expected(ctx context.Context, c *checkout.Checkout) (fewest, most, rounds int) {
	base, err := c.Base(ctx, c.Doc.Plan.Base)
	if err != nil {
		return 0, 0, 0
	}
	list, err := Configured(ctx, c, judgedAgainst(ctx, c.Repo, base), nil, nil)
	if err != nil {
		return 0, 0, 0
	}
	named := &git.Diff{}
	for _, s := range c.Doc.Plan.Steps {
		for _, path := range plan.Literals(s.Files) {
			named.Files = append(named.Files, git.FileDiff{Path: path})
		}
	}
	for _, r := range list {
		p, ok := r.(*panel.Panelist)
		if !ok {
			continue
		}
		most++
		if _, called := panel.CalledFor(p.Name(), named); called || !p.Auto {
			fewest++
		}
	}
	rounds, err = c.Config.Int("plan.reviewRounds")
	if err != nil {
		return 0, 0, 0
	}
	return fewest, most, rounds
}

// WhoJudges lists the reviewers of a branch, a line for each: its name, and what it looks at. It is
// what {{reviewers}} in a prompt becomes; empty if they cannot be read, which a step refuses anyway.
func WhoJudges(ctx context.Context, c *checkout.Checkout, planBase string) string {
	base, err := c.Base(ctx, planBase)
	if err != nil {
		return ""
	}
	list, err := Configured(ctx, c, judgedAgainst(ctx, c.Repo, base), nil, nil)
	if err != nil {
		return ""
	}
	lines := []string{"- " + finding.RulesName + ": built in: secrets, weakened tests, silenced checkers, conflict markers and the like"}
	for _, r := range list {
		line := "- " + r.Name() + ": a program"
		if p, ok := r.(*panel.Panelist); ok {
			line = "- " + p.Name() + ": " + partOf(p.Persona)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// partOf says in a line what a persona looks at: its first heading, or its first line.
func partOf(p panel.Persona) string {
	text := strings.TrimSpace(strings.TrimLeft(visible.FirstLine(strings.TrimSpace(p.Text)), "# "))
	part := visible.OneLine(strings.TrimPrefix(text, "Your part: "), 200)
	if len(p.When) > 0 {
		part += " (of " + visible.OneLine(strings.Join(p.When, ", "), 200) + ")"
	}
	if !p.Blocking {
		part += " (advises)"
	}
	return part
}
