package runner

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// MadeBySession reports whether all that moved the branch since a commit was a session's, if its log is known.
func (s *Runner) MadeBySession(ctx context.Context, since string) (own, known bool, err error) {
	log, err := s.reflog(ctx, "refs/heads/"+s.Checkout.Branch)
	if err != nil || len(log) == 0 {
		return true, false, err
	}
	for i, e := range log {
		if e.oid == since {
			return true, true, nil
		}
		moved := i+1 == len(log) || log[i+1].oid != e.oid // renaming a branch does not
		if moved && !strings.HasPrefix(e.subject, reflogMark) {
			return false, true, nil
		}
	}
	return since == "", true, nil
}

// Visited returns the commits that a ref was at since a session began, when HEAD was at from.
func (s *Runner) Visited(ctx context.Context, ref, from string, began time.Time) (oids []string) {
	log, _ := s.reflog(ctx, ref)
	for _, e := range log {
		if (e.oid == from || from == "") && e.seconds <= began.Unix() {
			break
		}
		oids = append(oids, e.oid)
	}
	return oids
}

type logged struct {
	oid, subject string
	seconds      int64
}

// reflog returns a ref's log, newest first; nothing if none is kept.
func (s *Runner) reflog(ctx context.Context, ref string) (log []logged, err error) {
	out, err := s.Checkout.Repo.Output(ctx, "reflog", "show", "--no-show-signature", "--date=unix", "--format=%H%x00%gd%x00%gs", "-n", "1000", ref)
	if git.Code(err) > 0 {
		return nil, nil
	}
	for _, line := range strings.Split(out, "\n") {
		fields := strings.SplitN(line, "\x00", 3)
		if len(fields) < 3 {
			continue
		}
		seconds, _ := strconv.ParseInt(strings.Trim(fields[1][strings.LastIndex(fields[1], "{")+1:], "}"), 10, 64) // HEAD@{1700000000}
		log = append(log, logged{oid: fields[0], subject: fields[2], seconds: seconds})
	}
	return log, err
}

// reflogMark begins the reflog entries of what sessions do to HEAD.
const reflogMark = "git plan session "

// InReflog returns the environment in which git marks its reflog entries accordingly.
func InReflog(session string) string { return "GIT_REFLOG_ACTION=" + reflogMark + session }
