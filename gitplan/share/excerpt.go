package share

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Excerpt returns the text of one step, and a function that returns the whole plan with
// another text in its place: the step changed, several steps, or none. Lines of a
// markdown.ParseError are then those of the excerpt.
func Excerpt(src []byte, id string) (text []byte, put func(text []byte) ([]byte, error), err error) {
	p, s, err := plan.FindStep(src, id)
	if err != nil {
		return nil, nil, err
	}
	item := string(p.Source[s.At.Item.From:s.At.Item.To])
	body := strings.TrimRight(item, " \t\r\n")
	behind := item[len(body):] // blank lines before what follows stay
	return []byte(body + markdown.LineEnd(src)), func(text []byte) ([]byte, error) {
		changed := strings.TrimRight(string(text), " \t\r\n")
		if changed != "" {
			changed += behind
		}
		whole := markdown.Splice(p.Source, s.At.Item.With(changed))
		_, err := plan.Parse(whole)
		var wrong *markdown.ParseError
		if errors.As(err, &wrong) { // the person sees the excerpt's lines
			for i := range wrong.Problems {
				wrong.Problems[i].Line -= s.Line - 1
			}
		}
		return whole, err
	}, nil
}

// mergeTyped merges what a person typed, starting from the text base, with what changed in the
// plan meanwhile, step by step. The error is ErrTypedOver if both changed the same.
func mergeTyped(base, typed, current []byte) ([]byte, error) {
	was, err := plan.Parse(base)
	if err != nil {
		return nil, err
	}
	is, err := plan.Parse(current)
	if err != nil {
		return nil, err
	}
	state := func(id string) Side { // boxes and states that the program set meanwhile stay
		a, ok := was.Step(id)
		b, still := is.Step(id)
		if ok && still && (a.Box != b.Box || a.Status != b.Status) {
			return Theirs
		}
		return Ours
	}
	text, conflicts, err := MergeText(Versions{Base: base, Ours: typed, Theirs: current}, Neither, state)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		var parts []string
		for _, c := range conflicts {
			parts = append(parts, c.Part)
		}
		return nil, fault.New(fault.ErrTypedOver, "%s changed in the plan while you typed, and you changed it too", strings.Join(parts, ", "))
	}
	if _, err := plan.Parse(text); err != nil {
		return nil, fmt.Errorf("what you typed and what changed in the plan meanwhile do not fit together: %w", err)
	}
	return text, nil
}
