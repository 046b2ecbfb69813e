package unseen

import (
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A step is done by what is committed. If a session worked in ignored files, or in the person's
// untracked ones, its checks see that work, but no other clone ever will.

// OutOfSight returns a reason if a session's work is in files that git ignores, else "". files are
// those that the task is to write, and asked those that it or its checks name; empty says that the
// session left nothing that a commit could have. hopeless says that another session could not
// help: the task itself asks for those files.
func (l Look) OutOfSight(s *worktree.Status, files, asked []string, empty bool) (reason string, hopeless bool) {
	named := l.WrittenOf(s, files)
	if empty {
		named = l.WrittenOf(s, asked)
		l.NoteHidden(s)
	}
	for _, name := range named {
		l.hide(name)
	}
	if len(named) > 0 {
		return "what it did is in " + visible.Few(named) + ", which git ignores", true
	}
	if empty && len(l.Hidden) > 0 {
		return "what it did is in " + visible.Few(l.Hidden) + ", which git ignores", false
	}
	return "", false
}

// NoteHidden notes ignored files that the session wrote, except what tools write.
func (l Look) NoteHidden(s *worktree.Status) {
	for _, name := range l.written(s) {
		l.hide(name)
	}
}
