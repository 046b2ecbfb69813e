package panel

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Command is a [Reviewer] that is a program of the person's own, such as a linter (planReviewer.<name>.command), run by
// sh -c in a clone of its own. Exit 0 or 1 with findings (SARIF, rdjsonl, or as a model gives them) is an answer, as is
// exit 0 without output; nothing else is. Its findings need no confirmation.
type Command struct {
	CommandName string
	Line        string
	Env         []string      // the complete environment
	Timeout     time.Duration // 0: none
	// Confine returns what it may do in its clone, whose files may run when it looks at them; nil is unconfined.
	Confine func(ctx context.Context, dir string) (*proc.Confinement, error)
}

func (c *Command) Name() string { return c.CommandName }

func (c *Command) Digest() string { return digest([]string{c.CommandName, c.Line}) }

// Review runs the program. It may write where it runs, except to the files under review.
func (c *Command) Review(ctx context.Context, t *Target) Report {
	whole := *t
	whole.Secret = nil // those are hidden from models
	r := Report{Reviewer: c.CommandName, Required: true}
	err := whole.inClone(ctx, func(own *Target) bool {
		r = c.review(ctx, t, own.Dir)
		return r.Incomplete == ""
	})
	return r.failed(err)
}

func (c *Command) review(ctx context.Context, t *Target, dir string) Report {
	r := Report{Reviewer: c.CommandName, Required: true}
	var confine *proc.Confinement
	if c.Confine != nil {
		var err error
		if confine, err = c.Confine(ctx, dir); err != nil {
			return r.failed(err)
		}
	}
	name, args := proc.Shell(c.Line)
	var stdout bytes.Buffer
	stderr := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Dir: dir, Group: true, Confine: confine, Timeout: c.Timeout, MaxOutput: finding.MaxOutput,
		Stdout: &stdout, Stderr: stderr,
		Env: append(c.Env[:len(c.Env):len(c.Env)], proc.Mark("review-"+integrity.Random(4)), "GIT_PLAN_ROLE=reviewer",
			"GIT_PLAN_ID="+t.PlanID, "GIT_PLAN_BRANCH="+t.Branch,
			"GIT_PLAN_NONCE="+t.Nonce, "GIT_PLAN_BASE="+t.Base, "GIT_PLAN_HEAD="+t.Head,
			"GIT_PLAN_REVIEWER="+c.CommandName, fmt.Sprintf("GIT_PLAN_ROUND=%d", t.Round)),
	})
	last := finding.Line(agent.LastLine(stderr.String()), finding.MaxTitle)
	switch {
	case err != nil:
		r.Incomplete = finding.Line(err.Error(), finding.MaxTitle)
	case exit.TimedOut:
		r.Incomplete = fmt.Sprintf("it did not end within %s", c.Timeout) + last
	case exit.OverLimit > 0:
		r.Incomplete = "it " + exit.TooMuch() + last
	case exit.Code > 1 || exit.Code < 0:
		r.Incomplete = fmt.Sprintf("it ended with exit code %d", exit.Code) + last + runner.Denied(c.Env,
			confine, c.Line, stderr.String())
	case len(bytes.TrimSpace(stdout.Bytes())) == 0 && exit.Code == 1:
		r.Incomplete = "it ended with exit code 1 and gave no findings" + last + runner.Denied(c.Env,
			confine, c.Line, stderr.String())
	case len(bytes.TrimSpace(stdout.Bytes())) == 0:
		r.Covered = paths(t.Diff)
	default:
		c.read(ctx, t, stdout.String(), dir, &r)
	}
	return r
}

func (c *Command) read(ctx context.Context, t *Target, text, dir string, r *Report) {
	a, err := t.parseOutput(ctx, text, dir)
	if err != nil { // the clone is gone by the time this is read
		r.Incomplete = "its output cannot be used: " + finding.Line(strings.ReplaceAll(err.Error(), dir+"/", ""), finding.MaxTitle)
		return
	}
	if r.Covered = paths(t.Diff); len(a.Covered) > 0 {
		if r.Covered, err = a.Judged(paths(t.Diff)); err != nil {
			r.Incomplete = "its output cannot be used: " + err.Error()
			return
		}
	}
	r.Findings = a.Findings
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Reviewers, f.Round, f.Status = []string{c.CommandName}, t.Round, finding.Confirmed
		f.Verified = true
	}
	t.Code(ctx).Anchor(r.Findings)
}

func paths(d *git.Diff) []string {
	var out []string
	for _, f := range d.Files {
		out = append(out, f.Path)
	}
	return out
}

// parseOutput reads what a command wrote. Linters look at the whole repository, so only findings in changed lines count.
func (t *Target) parseOutput(ctx context.Context, text, dir string) (*finding.Answer, error) {
	all, linter, err := finding.ReadLinter(text, t.Nonce)
	if !linter {
		return finding.ParseAnswer(text, finding.Terms{Nonce: t.Nonce, Lenient: true})
	}
	if err != nil {
		return nil, err
	}
	if all, err = insideOnly(dir, all); err != nil {
		return nil, err
	}
	return &finding.Answer{Findings: t.Code(ctx).OfChange(all)}, nil
}

// insideOnly gives the findings of a program that ran in dir the paths of the repository, and leaves out those in
// other files. If it names no file that is here, its paths mean something else, which is an error.
func insideOnly(dir string, all []finding.Finding) (out []finding.Finding, err error) {
	real, _ := filepath.EvalSymlinks(dir)
	here, outside := false, 0
	for _, f := range all {
		if f.File != "" {
			path, ok := inside(dir, real, f.File)
			if !ok {
				outside++
				err = cmp.Or(err, fmt.Errorf("it names %s, which is not in the repository",
					finding.ShowPath(finding.Line(f.File, finding.MaxTitle))))
				continue
			}
			f.File, here = path, true
		}
		out = append(out, f)
	}
	if outside == 0 || !here {
		return out, err
	}
	return append(out, finding.Finding{Category: "outside", Severity: finding.Low, Remedy: "none",
		Title: finding.Count(outside, "result") + " in files that are not in the repository: left out"}), nil
}

func inside(dir, real, p string) (path string, ok bool) {
	for _, d := range []string{dir, real} {
		if rel, err := filepath.Rel(d, p); filepath.IsAbs(p) && err == nil && filepath.IsLocal(rel) {
			p = rel
		}
	}
	path = strings.TrimPrefix(filepath.ToSlash(p), "./")
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
	return path, err == nil && finding.InRepository(path)
}
