package runner

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// MadeBySession reports whether everything that moved HEAD since a commit was done inside a
// session, by HEAD's reflog; known is false if that says nothing.
func (s *Runner) MadeBySession(ctx context.Context, since string) (own, known bool, err error) {
	out, err := s.Checkout.Repo.Output(ctx, "reflog", "show", "--format=%H%x00%gs", "-n", "1000", "HEAD")
	if git.Code(err) > 0 || err == nil && out == "" {
		return true, false, nil // no reflog is kept here
	}
	if err != nil {
		return false, false, err
	}
	for _, line := range strings.Split(out, "\n") {
		oid, said, _ := strings.Cut(line, "\x00")
		if oid == since {
			return true, true, nil
		}
		if !strings.HasPrefix(said, reflogMark) {
			return false, true, nil
		}
	}
	return since == "", true, nil
}

// logged is an entry of a ref's log.
type logged struct {
	oid, said string
	seconds   int64
}

// reflog returns a ref's log, newest first; nothing if none is kept.
func (s *Runner) reflog(ctx context.Context, ref string) (log []logged) {
	out, err := s.Checkout.Repo.Output(ctx, "reflog", "show", "--no-show-signature", "--date=unix", "--format=%H%x00%gd%x00%gs", "-n", "500", ref)
	if err != nil {
		return nil
	}
	for _, line := range strings.Split(out, "\n") {
		fields := strings.SplitN(line, "\x00", 3)
		if len(fields) < 3 {
			continue
		}
		at := fields[1] // "HEAD@{1700000000}"
		seconds, _ := strconv.ParseInt(strings.Trim(at[strings.LastIndex(at, "{")+1:], "}"), 10, 64)
		log = append(log, logged{oid: fields[0], said: fields[2], seconds: seconds})
	}
	return log
}

// Visited returns the commits that a ref was at since a session began, when HEAD was at from.
func (s *Runner) Visited(ctx context.Context, ref, from string, began time.Time) (oids []string) {
	for _, e := range s.reflog(ctx, ref) {
		if (e.oid == from || from == "") && e.seconds <= began.Unix() {
			break
		}
		oids = append(oids, e.oid)
	}
	return oids
}

// reflogMark begins the reflog entries of what sessions do to HEAD.
const reflogMark = "git plan session "

// InReflog returns the environment in which git marks its entries like that.
func InReflog(who string) string { return "GIT_REFLOG_ACTION=" + reflogMark + who }
