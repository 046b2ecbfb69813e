package agent

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Environ returns Session.Env with variables that say what the session is about, and
// more. What is empty is not set.
func (s Session) Environ(more ...[2]string) []string {
	env := s.Env
	if env == nil {
		env = proc.Clean()
	}
	round := ""
	if s.Review.Head != "" || s.Review.Round > 0 {
		round = strconv.Itoa(s.Review.Round)
	}
	reported := [][2]string{
		{proc.EnvSession, s.ID}, {"GIT_PLAN_ROLE", string(s.Role)}, {"GIT_PLAN_ID", s.Plan}, {"GIT_PLAN_STEP", s.Step},
		{"GIT_PLAN_BRANCH", s.Branch}, {"GIT_PLAN_ATTEMPT", strconv.Itoa(s.Attempt)}, {"GIT_PLAN_NONCE", s.Nonce},
		// Of a review; not set elsewhere.
		{"GIT_PLAN_BASE", s.Review.Base}, {"GIT_PLAN_HEAD", s.Review.Head}, {"GIT_PLAN_REVIEWER", s.Review.Reviewer},
		{"GIT_PLAN_ROUND", round}, {"GIT_PLAN_FINDINGS", s.Review.Findings},
	}
	out := slices.Clone(env)
	for _, kv := range append(reported, more...) {
		out = slices.DeleteFunc(out, func(e string) bool { return strings.HasPrefix(e, kv[0]+"=") })
		if kv[1] != "" {
			out = append(out, kv[0]+"="+kv[1])
		}
	}
	return out
}
