package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// session is one that is under way, as the board shows it.
type session struct {
	id, name, step string
	agent          string
	began          time.Time
	used           usage
	calls          string
	wait           string
	until          *time.Time
}

func (b *board) addSession(n journal.Notice) {
	if n.Kind == journal.SessionText && n.Session == "" { // it has ended
		b.of(n.Step).git = n.Reason
		return
	}
	s := b.session(n)
	switch n.Kind {
	case journal.SessionStart:
		if t := b.of(n.Step); b.ofStep(s) {
			if t.beaten != "" && t.attempt == n.Attempt {
				b.under(n.Step, row{mark: bad, depth: 1, text: t.beaten + "; going on with " + agentOf(n), whole: true})
			}
			t.attempt, t.beaten = n.Attempt, ""
		}
	case journal.SessionText:
		s.wait, s.until = n.Reason, n.Until
	case journal.SessionTool:
		s.wait, s.calls = "", Called(n)
	case journal.SessionUsage:
		s.used = usageOf(n)
	case journal.SessionEnd:
		b.endSession(s, n)
	}
}

// session returns the session that a notice is about. A view that began late hears of it
// only now.
func (b *board) session(n journal.Notice) *session {
	if i := slices.IndexFunc(b.sessions, func(s *session) bool { return s.id == n.Session }); i >= 0 {
		return b.sessions[i]
	}
	name := string(n.Role)
	if n.Kind == journal.SessionStart && n.Command != "" { // the step's own, without an agent
		name = "run"
	}
	if n.Reviewer != "" {
		name = n.Reviewer
	}
	s := &session{id: n.Session, name: name, step: n.Step, agent: n.Agent, began: n.Time}
	b.sessions = append(b.sessions, s)
	return s
}

func (b *board) endSession(s *session, n journal.Notice) {
	b.sessions = slices.DeleteFunc(b.sessions, func(o *session) bool { return o == s })
	used := usageOf(n)
	b.used = b.used.add(used)
	if n.Session != "" { // else an earlier process ran it
		b.held++
	}
	t := b.of(s.step)
	none := t == &b.between
	if !none {
		t.used = t.used.add(used)
	}
	switch {
	case !none && s.step != "" && n.Reason != "":
		t.beaten = fmt.Sprintf("%s: %s", agentOf(n), n.Reason)
	case none && n.Session == "":
		b.settle(row{mark: waits, text: s.step + ": " + cmp.Or(n.Text, n.Reason), whole: true})
	case n.Role == agent.Planner, n.Role == agent.Critic: // whether its plan is accepted is known only later
		r := row{text: s.name, facts: used.facts(n.Time.Sub(s.began)), more: n.Text}
		if n.Reason != "" {
			r.mark, r.more = bad, n.Reason
		}
		b.settle(r)
	}
}

func usageOf(n journal.Notice) (u usage) {
	if n.Tokens != nil {
		u.tokens = *n.Tokens
	}
	if n.Cost != nil {
		u.usd, u.costKnown = *n.Cost, true
	}
	u.costGap = n.Cost == nil && u.tokens != (agent.Tokens{})
	return u
}

// doing says what a session does now, and, of several, by which agent if that is not the run's.
func (b *board) doing(s *session, now time.Time) string {
	if b.several && s.agent != "" && b.agent != "" && s.agent != b.agent {
		return strings.TrimSuffix(s.agent+": "+s.doing(now), ": ")
	}
	return s.doing(now)
}

func (s *session) doing(now time.Time) string {
	switch {
	case s.wait != "" && s.until != nil && now.Before(*s.until):
		return fmt.Sprintf("waiting %s: %s", clock(s.until.Sub(now)+time.Second-1), s.wait)
	case s.wait != "":
		return "waiting: " + s.wait
	}
	return s.calls
}
