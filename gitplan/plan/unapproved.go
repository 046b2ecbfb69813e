package plan

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Unapproved is what makes the program, or a session, do something else than the text that was approved last.
// Context, estimates and the titles of steps that say below them what to do may change at any time.
type Unapproved struct {
	Whole string   // a part that every step depends on, such as "Rules"; "" if none changed
	Steps []string // ids of steps that changed, or are new: only these wait
	Gone  []string // ids of steps that the plan has no longer
}

// None reports whether there is nothing to approve.
func (u Unapproved) None() bool { return u.Whole == "" && len(u.Steps)+len(u.Gone) == 0 }

// WaitsFor reports whether a step may not run before a person has approved something.
func (u Unapproved) WaitsFor(step string) bool {
	return u.Whole != "" || slices.Contains(u.Steps, step)
}

// NotApproved compares a plan with the one that was approved last.
func NotApproved(now, approved *Plan) (u Unapproved) {
	if now.Base != approved.Base {
		u.Whole = "base"
	}
	for _, part := range []string{"goal", "bounds", "decisions", "requirements", "rules", "checks", "verification", "prerequisites"} {
		if now.meaningOf(part) != approved.meaningOf(part) {
			u.Whole = strings.ToUpper(part[:1]) + part[1:]
			break
		}
	}
	for i := range now.Steps {
		s := &now.Steps[i]
		if was, ok := approved.Step(s.ID); !ok || !s.sameWork(was) {
			u.Steps = append(u.Steps, s.ID)
		}
	}
	for i := range approved.Steps {
		id := approved.Steps[i].ID
		if s, ok := now.Step(id); !ok || s.ID != id {
			u.Gone = append(u.Gone, id)
		}
	}
	return u
}

// meaningOf returns what the sections of one meaning say.
func (p *Plan) meaningOf(part string) string {
	var out []string
	for _, s := range p.Sections {
		if s.meaning == part {
			out = append(out, strings.TrimSpace(strings.ReplaceAll(s.Body, "\r\n", "\n")))
		}
	}
	return strings.Join(out, "\n\n")
}

// sameWork reports whether two texts of a step have the same done, by the same agent, with the same checks.
func (s *Step) sameWork(t *Step) bool {
	same := func(a, b Check) bool { return a.Text == b.Text && a.Command == b.Command }
	return s.ID == t.ID && s.Run == t.Run && s.Action == t.Action && s.Ask == t.Ask && s.Doubt == t.Doubt &&
		s.Agent == t.Agent && s.Model == t.Model && s.Effort == t.Effort && s.Timeout == t.Timeout && s.Attempts == t.Attempts &&
		slices.Equal(s.Files, t.Files) && slices.Equal(s.Creates, t.Creates) &&
		slices.Equal(s.Needs, t.Needs) && slices.EqualFunc(s.Checks, t.Checks, same) &&
		s.Do == t.Do && s.instructions() == t.instructions() &&
		(s.Do != "" || s.Title == t.Title) // a step that says nothing else is done by its title
}

// onlyNoted are the fields that do not change what is done.
var onlyNoted = visible.NewPattern(`(?im)^[ \t]*[-*+][ \t]+[*_]*(estimate|for)[*_]*:[^\n]*\n?`)

// instructions returns what a step says below its title, without those fields.
func (s *Step) instructions() string {
	text := s.Approved()
	text = text[min(max(s.At.Head-s.At.Item.From, 0), len(text)):]
	return strings.TrimSpace(onlyNoted.Compiled().ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), ""))
}
