package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// vagueVerbs say that something gets better, not what.
var vagueVerbs = []string{"improve", "enhance", "optimise", "optimize", "clean", "cleanup", "refactor", "polish", "handle",
	"update", "fix", "support", "finalise", "finalize", "review", "investigate", "misc", "various"}

// names matches the name of something: code, a path, a number, an identifier.
var names = pattern.Of("[`0-9\"/_=]|[a-z][A-Z]|[a-z]\\.[a-z]|--?[a-z]")

// vague is about a title, or an instruction, that would fit any program.
func vague(_ *plan.Plan, s *plan.Step, _ Surroundings) string {
	const enough = 40 // words of a step, or as many words that say what they are about
	if s.Run != "" || len(strings.Fields(s.Approved())) > enough {
		return ""
	}
	text := s.Do
	if text == "" {
		text = s.Title
	}
	const short = 12 // words
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	if first = strings.Trim(first, ":,."); !slices.Contains(vagueVerbs, first) || s.Do != "" && (names.MatchString(s.Do) || len(strings.Fields(s.Do)) > short) {
		return ""
	}
	return fmt.Sprintf("%q says that something gets better, not what", first)
}
