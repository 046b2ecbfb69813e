package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Bounds of an interview, however many sessions it takes.
const (
	maxDecisions = 12 // questions that are put to the person
	maxAsking    = 3  // sessions that end with questions, for programs that cannot ask during one
)

// interview has the questions of planners and the answers of a person.
type interview struct {
	askPerson func([]agent.Question) ([]string, error) // asks the person; nil if nobody can answer
	asked     []string                                 // the questions so far, without duplicates
	answers   map[string]string                        // the answer to each question, as a planner reads it
	decided   []string                                 // the lines of the section Decisions
	last      int                                      // the number of the last decision, also of an old plan
	ended     int                                      // the number of sessions that ended with questions
}

const noAnswer = "(no answer: decide, and state what you assume)"

// newInterview returns an interview whose decisions are numbered after those of an old plan.
func newInterview(put func([]agent.Question) ([]string, error), old *plan.Plan) *interview {
	i := &interview{askPerson: put, answers: map[string]string{}}
	if old != nil {
		for _, m := range decisionID().FindAllStringSubmatch(string(old.Source), -1) {
			n, _ := strconv.Atoi(m[1])
			i.last = max(i.last, n)
		}
	}
	return i
}

var decisionID = visible.NewPattern(`(?m)^\s*[-*] \**D(\d{1,4})\b`)

// ask puts questions to the person, none twice, and returns what the planner reads.
func (i *interview) ask(questions []agent.Question) (answers []string, err error) {
	var open []agent.Question
	for _, q := range questions {
		if text := question(q); i.answers[text] == "" && len(i.asked) < maxDecisions {
			i.answers[text] = noAnswer
			i.asked, open = append(i.asked, text), append(open, q)
		}
	}
	if len(open) > 0 {
		var said []string
		said, err = i.askPerson(open)
		for k, answer := range said[:min(len(said), len(open))] {
			if answer == "" {
				continue // the planner decides
			}
			i.last++
			text := question(open[k])
			answer = plainMarkdown(visible.OneLine(answer, 400))
			i.answers[text] = fmt.Sprintf("%s (D%d)", answer, i.last)
			i.decided = append(i.decided, fmt.Sprintf("- D%d: %s %s\n", i.last, text, answer))
		}
	}
	for _, q := range questions {
		answers = append(answers, cmp.Or(i.answers[question(q)], noAnswer))
	}
	return answers, err
}

// question returns the words of a question, by which it is known.
func question(q agent.Question) string {
	return plainMarkdown(strings.TrimRight(visible.OneLine(q.Text, 400), "."))
}

// goesOn puts the questions with which a session ended to the person: the next one reads the answers.
func (i *interview) goesOn(r agent.Result) (bool, error) {
	if i.askPerson == nil || r.Status != agent.Blocked || len(r.Questions) == 0 || i.ended >= maxAsking {
		return false, nil
	}
	i.ended++
	_, err := i.ask(r.Questions)
	return err == nil, err
}

// reported returns what a fresh session reads of the interview so far; "" if nothing was asked.
func (i *interview) reported() string {
	var b strings.Builder
	for _, q := range i.asked {
		fmt.Fprintf(&b, "- %s\n  -> %s\n", q, i.answers[q])
	}
	return b.String()
}

// withDecisions puts what a person decided into the section Decisions, in place of a planner's own words about it.
func withDecisions(text []byte, decided []string) ([]byte, error) {
	p, err := plan.Parse(text)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(strings.SplitAfter(p.BodyOf("Decisions")+"\n", "\n"), func(line string) bool {
		m := decisionID().FindStringSubmatch(line)
		return m != nil && slices.ContainsFunc(decided, func(d string) bool { return strings.HasPrefix(d, "- D"+m[1]+": ") })
	})
	return plan.WithSection(text, p.TitleOf("Decisions"), strings.Join(append(kept, decided...), ""))
}

// plainMarkdown escapes what would be markup of a plan in a text: a box, a comment.
func plainMarkdown(s string) string {
	return strings.NewReplacer("`", "'", "<", "(", ">", ")", "[", "(", "]", ")").Replace(s)
}
