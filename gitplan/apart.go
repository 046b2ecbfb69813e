package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// ownCommit is a commit of a session's own that stays apart (plan.keepCommits). It
// is made anew: with the person's hooks and identity, and without what only the
// program may say.
type ownCommit struct {
	Tree    string
	Message string
}

// Subject is the first line of its message.
func (c ownCommit) Subject() string { return visible.FirstLine(c.Message) }

// apart are the commits of a session's own that stay apart, oldest first; of those
// that changed nothing none is left.
func (p *Place) apart(ctx context.Context, t Task, left *leftover) (out []ownCommit, err error) {
	if !t.KeepCommits || left.whole {
		return nil, nil
	}
	below := p.Repo.EmptyTree()
	if p.before.Head != "" {
		if below, err = p.Repo.Resolve(ctx, p.before.Head+"^{tree}"); err != nil {
			return nil, err
		}
	}
	for _, c := range left.folded {
		tree, err := p.withoutOwn(ctx, c.Tree)
		if err != nil {
			return nil, err
		}
		if tree != below {
			subject, body, _ := strings.Cut(c.Message, "\n")
			out = append(out, ownCommit{tree, journal.CommitMessage(subject, t.Subject, body, "")})
		}
		below = tree
	}
	return out, nil
}

// withoutOwn is a tree without the person's untracked files: a session's `git add
// -A` takes them along.
func (p *Place) withoutOwn(ctx context.Context, tree string) (string, error) {
	if len(p.own.Untracked)+len(p.own.Ignored) == 0 {
		return tree, nil
	}
	paths, err := p.Repo.Paths(ctx, tree)
	if err != nil {
		return "", err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		if !p.own.has(path) {
			return true
		}
		_, err := p.Repo.Read(ctx, p.before.Head+":"+path)
		return p.before.Head != "" && err == nil // it is tracked, in a folder that is ignored
	})
	if len(paths) == 0 {
		return tree, nil
	}
	return p.Repo.TreeWithout(ctx, tree, paths)
}

// errOtherwise says that a commit hook had something else committed than was staged.
// The files of the work tree are all the session's, so that may be what belongs into
// the next commit.
var errOtherwise = errors.New("a commit hook changed what was committed")

// makeCommits commits what was noted, with the person's hooks: the session's own
// commits that stay apart, and above them the one that names the task. Where git
// refuses one of them, the branch is where it was and everything is staged. The work
// tree holds the end of it all along, so that nothing of it can be lost.
func (p *Place) makeCommits(ctx context.Context, formatted string, said *proc.Tail) error {
	mark := proc.Mark("commit-" + random(4))
	if p.onto = p.before.Head; len(p.own.Apart) == 0 {
		return p.commitWithHooks(ctx, p.own.Tree, p.own.Message, formatted, mark, said)
	}
	err := p.makeEach(ctx, formatted, mark, said)
	if err == nil || ctx.Err() != nil {
		return err // whoever was interrupted puts the branch back
	}
	now, e := p.Repo.Status(ctx)
	if e != nil {
		return e
	}
	if now.Head != p.before.Head {
		if e := p.rewind(ctx, now.Head); e != nil {
			return e
		}
	}
	if e := p.Repo.ReadTree(ctx, p.own.Tree); e != nil {
		return e
	}
	return err
}

// makeEach is makeCommits without the way back. In git's log of HEAD these commits
// are a session's, so that a crash between them is known for what it is.
func (p *Place) makeEach(ctx context.Context, formatted, mark string, said *proc.Tail) error {
	p.onto = journal.None // none of these is the last
	for _, c := range p.own.Apart {
		if err := p.Repo.ReadTree(ctx, c.Tree); err != nil {
			return err
		}
		if err := p.commitWithHooks(ctx, c.Tree, c.Message, "", mark, said, inReflog("kept")); err != nil {
			fmt.Fprintf(said, "(it was the session's own commit %q)\n", c.Subject())
			return err
		}
		if tree, err := p.Repo.Resolve(ctx, "HEAD^{tree}"); err != nil {
			return err
		} else if tree != c.Tree {
			return errOtherwise
		}
	}
	if err := p.Repo.ReadTree(ctx, p.own.Tree); err != nil {
		return err
	}
	var err error
	if p.onto, err = p.Repo.Resolve(ctx, "HEAD^{commit}"); err != nil {
		return err
	}
	return p.commitWithHooks(ctx, p.own.Tree, p.own.Message, formatted, mark, said, inReflog("kept"))
}

// beginAgain puts the branch back to where a step began, where a crash came between
// the commits that were about to be made for it: all are made again then.
func (p *Place) beginAgain(ctx context.Context, began string) error {
	head := p.before.Head
	if began = strings.TrimSuffix(began, journal.None); len(p.own.Apart) == 0 || head == began {
		return nil
	}
	own, known, err := p.madeBySession(ctx, began)
	if err != nil || !own || !known {
		return err
	}
	p.before.Head = began
	return p.rewind(ctx, head)
}
