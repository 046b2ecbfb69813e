package planner

import (
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

// interview is what planners asked a person, and what that person decided.
type interview struct {
	put   func([]agent.Question) ([]string, error) // nil: questions are not asked
	asked []decision
	last  int // number of the last decision; those of the plan to rewrite come before
	ended int // sessions that ended with questions
}

// decision is a question and its answer. Without an answer there is no id: the planner decides.
type decision struct{ id, question, answer string }

const noAnswer = "(no answer: decide, and state what you assume)"

// newInterview returns an interview whose decisions are numbered after those of an old plan.
func newInterview(put func([]agent.Question) ([]string, error), old *plan.Plan) *interview {
	i := &interview{put: put}
	if old != nil {
		for _, m := range decisionID.FindAllStringSubmatch(string(old.Source), -1) {
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
		same := func(other agent.Question) bool { return question(other) == question(q) }
		if i.find(q) < 0 && !slices.ContainsFunc(open, same) && len(i.asked)+len(open) < maxDecisions {
			open = append(open, q)
		}
	}
	if len(open) > 0 {
		var said []string
		said, err = i.put(open)
		for k, q := range open {
			d := decision{question: question(q)}
			if k < len(said) && said[k] != "" {
				i.last++
				d.id, d.answer = fmt.Sprintf("D%d", i.last), plainMarkdown(visible.OneLine(said[k], 400))
			}
			i.asked = append(i.asked, d)
		}
	}
	for _, q := range questions {
		if at := i.find(q); at >= 0 {
			answers = append(answers, i.asked[at].read())
		} else {
			answers = append(answers, noAnswer)
		}
	}
	return answers, err
}

// find returns the index of a question that was asked, or -1.
func (i *interview) find(q agent.Question) int {
	return slices.IndexFunc(i.asked, func(d decision) bool { return d.question == question(q) })
}

func question(q agent.Question) string {
	return plainMarkdown(strings.TrimRight(visible.OneLine(q.Text, 400), "."))
}

func (d decision) read() string {
	if d.id == "" {
		return noAnswer
	}
	return fmt.Sprintf("%s (%s)", d.answer, d.id)
}

// goesOn puts the questions with which a session ended to the person: the next one reads the answers.
func (i *interview) goesOn(r agent.Result) (bool, error) {
	if i.put == nil || r.Status != agent.Blocked || len(r.Questions) == 0 || i.ended >= maxAsking {
		return false, nil
	}
	i.ended++
	_, err := i.ask(r.Questions)
	return err == nil, err
}

// reported returns what a fresh session reads of the interview so far; "" if nothing was asked.
func (i *interview) reported() string {
	var b strings.Builder
	for _, d := range i.asked {
		fmt.Fprintf(&b, "- %s\n  -> %s\n", d.question, d.read())
	}
	return b.String()
}

func (i *interview) decided() (lines []string) {
	for _, d := range i.asked {
		if d.id != "" {
			lines = append(lines, fmt.Sprintf("- %s: %s %s\n", d.id, d.question, d.answer))
		}
	}
	return lines
}

// withDecisions puts what a person decided into the section Decisions, in place of a planner's own words about it.
func withDecisions(text []byte, decided []string) ([]byte, error) {
	p, err := plan.Parse(text)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(strings.SplitAfter(p.BodyOf("Decisions")+"\n", "\n"), func(line string) bool {
		m := decisionID.FindStringSubmatch(line)
		return m != nil && slices.ContainsFunc(decided, func(d string) bool { return strings.HasPrefix(d, "- D"+m[1]+": ") })
	})
	return plan.WithSection(text, p.TitleOf("Decisions"), strings.Join(append(kept, decided...), ""))
}

// plainMarkdown escapes what would be markup of a plan in a text: a box, a comment.
func plainMarkdown(s string) string {
	return strings.NewReplacer("`", "'", "<", "(", ">", ")", "[", "(", "]", ")").Replace(s)
}
