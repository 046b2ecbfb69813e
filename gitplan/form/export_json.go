package form

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// jsonPlan is a plan in JSON: `markdown` and `body` are the plan, the other members repeat it for programs.
type jsonPlan struct {
	Schema       int           `json:"schema"`
	Title        string        `json:"title"`
	FrontMatter  string        `json:"front_matter,omitempty"`
	Summary      string        `json:"summary"`
	Sections     []jsonSection `json:"sections"`
	Steps        []jsonStep    `json:"steps"`
	TestCriteria []string      `json:"test_criteria"`
	Risks        []string      `json:"risks"`
}

type jsonSection struct {
	Title string  `json:"title"`
	Level int     `json:"level,omitempty"` // 1, or absent for 2
	Body  *string `json:"body,omitempty"`  // absent for the section of the steps
}

type jsonStep struct {
	Order         int      `json:"order"`
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Done          bool     `json:"done"`
	Description   string   `json:"description"`
	FilesToModify []string `json:"files_to_modify"`
	FilesToCreate []string `json:"files_to_create"`
	Validation    []string `json:"validation"`
	Needs         []string `json:"needs"`
	Markdown      string   `json:"markdown"`
}

func (d *draft) exportJSON(p *plan.Plan) (*Exported, error) {
	out := jsonPlan{Schema: 1, Title: d.title, FrontMatter: d.front, Summary: d.summary.text(),
		Steps: []jsonStep{}, TestCriteria: textsOf(p.Verification), Risks: []string{}}
	for _, s := range d.sections {
		if s.steps {
			out.Sections = append(out.Sections, jsonSection{Title: s.title})
			continue
		}
		body := s.body.text()
		out.Sections = append(out.Sections, jsonSection{Title: s.title, Body: &body, Level: s.level % 2})
		risks := strings.HasPrefix(plan.Normalize(s.title), "risks")
		for _, l := range s.body {
			if risk, ok := strings.CutPrefix(l.text, "- "); ok && risks {
				out.Risks = append(out.Risks, risk)
			}
		}
	}
	for i, s := range d.steps {
		from := &p.Steps[i]
		step := jsonStep{Order: i + 1, ID: s.id, Title: s.title, Done: s.done, Description: from.Do,
			FilesToModify: []string{}, FilesToCreate: []string{}, Validation: textsOf(from.Checks),
			Needs: append([]string{}, from.Needs...), Markdown: s.body.text()}
		if from.Do == "" {
			step.Description = s.title
		}
		for _, file := range from.Files {
			if from.ActionOn(file) == "create" {
				step.FilesToCreate = append(step.FilesToCreate, file)
			} else {
				step.FilesToModify = append(step.FilesToModify, file)
			}
		}
		out.Steps = append(out.Steps, step)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return nil, err
	}
	return &Exported{Files: []File{{Text: b.Bytes()}}}, nil
}

func textsOf(checks []plan.Check) []string {
	out := []string{}
	for _, c := range checks {
		out = append(out, c.Text)
	}
	return out
}
