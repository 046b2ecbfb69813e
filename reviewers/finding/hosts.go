package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// WriteGitHub prints findings as workflow commands, a line each, which GitHub's runner turns
// into annotations at their places. No text of a finding becomes a command of its own.
func WriteGitHub(w io.Writer, list []Finding) error {
	for _, f := range list {
		kind := map[Severity]string{Critical: "error", High: "error", Medium: "warning"}[f.Severity]
		at := ""
		if f.File != "" {
			at = fmt.Sprintf("file=%s,line=%d,endLine=%d,", visible.WorkflowProperty(f.File), max(f.Line, 1), max(f.last(), 1))
		}
		_, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", cmp.Or(kind, "notice"), at,
			visible.WorkflowProperty(fmt.Sprintf("%s %s", f.Severity, f.kind())), visible.Workflow(message(f)))
		if err != nil {
			return err
		}
	}
	return nil
}

// codeQuality is one entry of the report that GitLab shows in a merge request: its
// documentation of Code Quality names these fields, and the five severities.
type codeQuality struct {
	Description string              `json:"description"`
	CheckName   string              `json:"check_name"`
	Fingerprint string              `json:"fingerprint"`
	Severity    string              `json:"severity"`
	Location    codeQualityLocation `json:"location"`
}

type codeQualityLocation struct {
	Path  string           `json:"path"`
	Lines codeQualityLines `json:"lines"`
}

type codeQualityLines struct {
	Begin int `json:"begin"`
}

// WriteCodeQuality prints findings as GitLab's code quality report. Each entry needs a place,
// so a finding about the branch is put at the first line of file; without one it is left out.
func WriteCodeQuality(w io.Writer, list []Finding, file string) error {
	out := []codeQuality{}
	for _, f := range list {
		at := codeQualityLocation{cmp.Or(f.File, file), codeQualityLines{max(f.Line, 1)}}
		if at.Path == "" {
			continue
		}
		severity := map[Severity]string{Critical: "blocker", High: "critical", Medium: "major"}[f.Severity]
		out = append(out, codeQuality{message(f), f.kind(), f.ID, cmp.Or(severity, "minor"), at})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
