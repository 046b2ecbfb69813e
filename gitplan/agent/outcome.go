package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Outcome is the JSON object by which a session reports how it ended. Every field is optional.
type Outcome struct {
	Status       Status        `json:"status"` // done, blocked or failed; empty is done
	Subject      string        `json:"subject"`
	Summary      string        `json:"summary"`
	Question     string        `json:"question"`
	Questions    []Question    `json:"questions"`
	Handoff      Handoff       `json:"handoff"`
	Proposal     string        `json:"proposal"`
	Tokens       Tokens        `json:"tokens"`
	Amendments   []Amendment   `json:"amendments"`
	Assumed      string        `json:"assumed"`
	Drift        []Drift       `json:"drift"`
	Dispositions []Disposition `json:"dispositions"`
}

// statuses are the words of models for the ends of a session.
var statuses = map[string]Status{"": "", "done": Done, "completed": Done, "complete": Done, "success": Done, "succeeded": Done, "finished": Done,
	"blocked": Blocked, "failed": Failed, "failure": Failed, "error": Failed}

// StatusOf returns the end that a model's word means, and whether it means one.
func StatusOf(word string) (Status, bool) {
	s, ok := statuses[strings.ToLower(strings.TrimSpace(word))]
	return s, ok
}

// ReadOutcome reads a session's report. A field of the wrong type is left out. The error is about an invalid status,
// or a missing question.
func ReadOutcome(object []byte) (a Outcome, err error) {
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(object, &a); err != nil && !errors.As(err, &mismatch) {
		return Outcome{}, errors.New("it is not JSON")
	}
	status, known := StatusOf(string(a.Status))
	if !known {
		return a, fmt.Errorf("status must be done, blocked or failed, not %q", OneLine(string(a.Status), 40))
	}
	if a.Status = status; status == Blocked && strings.TrimSpace(a.Question) == "" && len(a.Questions) == 0 {
		return a, errors.New("blocked needs a question")
	}
	return a, nil
}

// Result returns the report as the result of a session.
func (a Outcome) Result() Result {
	r := Result{Status: a.Status, Question: a.Question, Questions: a.Questions, Subject: a.Subject, Summary: a.Summary, Proposal: Proposed(a.Amendments, a.Proposal), Assumed: a.Assumed,
		Handoff: a.Handoff, Drift: a.Drift, Dispositions: a.Dispositions, Tokens: a.Tokens}.Tidy()
	r.Status = cmp.Or(r.Status, Done)
	if r.Question == "" && len(r.Questions) > 0 {
		r.Question = r.Questions[0].Text
	}
	if r.Status != Done {
		r.Reason = cmp.Or(r.Summary, r.Question, "the session says that it failed, and not why")
	}
	return r
}
