package finding

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/reviewers/rules"
)

const (
	programName = "git plan"
	programURL  = "https://github.com/git-plan/git-plan"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// The parts of SARIF 2.1.0 (the OASIS standard) that are both written and read.
type (
	sarifNotification struct {
		Level     string          `json:"level,omitempty"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId,omitempty"`
		RuleIndex    *int               `json:"ruleIndex,omitempty"`
		Rule         json.RawMessage    `json:"rule,omitempty"`
		Kind         string             `json:"kind,omitempty"`
		Level        string             `json:"level,omitempty"`
		Baseline     string             `json:"baselineState,omitempty"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   map[string]any     `json:"properties,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation,omitzero"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region,omitzero"`
	}
	sarifArtifact struct {
		URI   string `json:"uri,omitempty"`
		Base  string `json:"uriBaseId,omitempty"`
		Index *int   `json:"index,omitempty"` // an index in the list of artifacts, which is not read
	}
	sarifRegion struct {
		StartLine int `json:"startLine,omitempty"`
		EndLine   int `json:"endLine,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status,omitempty"`
		Justification string `json:"justification,omitempty"`
	}
)

type object map[string]any

// SARIF is the SARIF log of a review.
type SARIF struct {
	Version   string    // the version of this program
	Succeeded bool      // no required answer is missing
	Errors    []string  // the reasons for missing answers
	Note      string    // the end of the review and its reason
	File      string    // a changed file to which findings about the branch are attached; may be empty
	Findings  []Finding // open findings, and dismissed ones as suppressed
}

// Write prints the log. GitHub refuses results without a location, so a finding without a file is attached to s.File,
// or becomes a notification.
func (s SARIF) Write(w io.Writer) error {
	results, kinds := []sarifResult{}, []object{}
	notes := []sarifNotification{}
	notify := func(level, text string) {
		notes = append(notes, sarifNotification{Level: level, Message: sarifMessage{Text: text}})
	}
	for _, why := range s.Errors {
		notify("error", why)
	}
	notify("note", s.Note)
	named, known := map[string]bool{}, rules.All()
	for _, f := range s.Findings {
		if f.File = cmp.Or(f.File, s.File); f.File == "" {
			notify("warning", message(f))
			continue
		}
		results = append(results, sarifOf(f))
		if !named[f.kind()] {
			named[f.kind()] = true
			text := sarifMessage{Text: "A reviewer calls this " + f.kind() + "."} // GitHub requires all three
			if i := slices.IndexFunc(known, func(r rules.Rule) bool { return r.Name == f.Rule }); i >= 0 {
				text.Text = known[i].Why
			}
			kinds = append(kinds, object{"id": f.kind(), "shortDescription": text, "fullDescription": text, "help": text})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{{
		"tool": object{"driver": object{"name": programName, "version": s.Version,
			"informationUri": programURL, "rules": kinds}},
		"invocations": []object{{"executionSuccessful": s.Succeeded, "toolExecutionNotifications": notes}},
		"results":     results,
	}}})
}

func sarifOf(f Finding) sarifResult {
	r := sarifResult{
		RuleID: f.kind(), Message: sarifMessage{Text: message(f)}, Fingerprints: map[string]string{"gitPlan/v1": f.ID},
		Level:      map[Severity]string{Critical: "error", High: "error", Medium: "warning"}[f.Severity],
		Properties: map[string]any{"severity": f.Severity, "status": f.Status, "reviewers": slices.Clone(f.Reviewers)},
	}
	r.Level = cmp.Or(r.Level, "note")
	at := sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: f.File}).EscapedPath()}, Region: sarifRegion{1, 1}}
	if f.Line > 0 {
		at.Region = sarifRegion{f.Line, f.last()}
	}
	r.Locations = []sarifLocation{{at}}
	if f.Status == Dismissed {
		r.Suppressions = []sarifSuppression{{"external", "accepted", f.Because}}
	}
	return r
}

// sarifRun has the members of a run that are read, or that are an error because they change the meaning of results.
type sarifRun struct {
	Tool struct {
		Driver struct {
			Rules []struct {
				ID            string `json:"id"`
				Configuration struct {
					Level string `json:"level"`
				} `json:"defaultConfiguration"`
			} `json:"rules"`
		} `json:"driver"`
		Extensions []json.RawMessage `json:"extensions"`
	} `json:"tool"`
	Invocations []struct {
		Successful    *bool               `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
		Configuration []sarifNotification `json:"toolConfigurationNotifications"`
		Overrides     []json.RawMessage   `json:"ruleConfigurationOverrides"`
	} `json:"invocations"`
	Bases     map[string]sarifArtifact `json:"originalUriBaseIds"`
	Results   []sarifResult            `json:"results"` // nil if the program did not look for any
	Elsewhere struct {
		Results []json.RawMessage `json:"results"`
	} `json:"externalPropertyFileReferences"`
}

// readSARIF reads a linter's output. A run that failed, or checked nothing, is an error.
func readSARIF(text, nonce string) ([]Finding, error) {
	var log struct {
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
		Nonce   *string    `json:"nonce"`
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		return nil, fmt.Errorf("the SARIF cannot be read: %w", err)
	}
	switch {
	case log.Nonce != nil && *log.Nonce != nonce:
		return nil, errWrongNonce
	case !strings.HasPrefix(log.Version, "2.1."):
		return nil, errors.New("the SARIF is not of version 2.1.0")
	case len(log.Runs) == 0:
		return nil, errors.New("the SARIF holds no run: nothing was looked at")
	}
	var out []Finding
	for _, run := range log.Runs {
		if err := run.failed(); err != nil {
			return nil, err
		}
		for _, r := range run.Results {
			f, passes, err := run.finding(&r)
			if err != nil {
				return nil, err
			}
			if !passes {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// failed returns an error if the run reports one, or has neither results (staticcheck) nor a success flag.
func (r *sarifRun) failed() error {
	succeeded := false
	for _, i := range r.Invocations {
		for _, n := range slices.Concat(i.Notifications, i.Configuration) {
			if n.Level == "error" {
				text := n.Message.Text
				if file, line, _ := r.place(n.Locations); file != "" {
					text = fmt.Sprintf("%s:%d: %s", file, line, text)
				}
				return fmt.Errorf("the program reports an error: %s", Line(text, MaxTitle))
			}
		}
		if i.Successful != nil && !*i.Successful {
			return errors.New("the SARIF says that its program did not succeed")
		}
		if len(i.Overrides) > 0 {
			return errors.New("the SARIF changes the levels of rules (ruleConfigurationOverrides): have the program give each result its level")
		}
		succeeded = succeeded || i.Successful != nil
	}
	if len(r.Elsewhere.Results) > 0 {
		return errors.New("the SARIF has its results in other files")
	}
	if r.Results == nil && !succeeded {
		return errors.New("the SARIF has a run without results: nothing was looked at")
	}
	return nil
}

// finding returns a result as a finding, unless it passed, is gone since the baseline, or was suppressed.
func (r *sarifRun) finding(result *sarifResult) (f Finding, passes bool, err error) {
	pending := func(s sarifSuppression) bool { return s.Status != "" && s.Status != "accepted" }
	if result.Kind != "" && result.Kind != "fail" || result.Baseline == "absent" || result.Level == "none" ||
		len(result.Suppressions) > 0 && !slices.ContainsFunc(result.Suppressions, pending) {
		return f, true, nil
	}
	if result.Message.Text == "" {
		return f, false, errors.New("a result of the SARIF has no message.text")
	}
	id, level := result.RuleID, result.Level
	for i, rule := range r.Tool.Driver.Rules {
		if rule.ID != "" && result.RuleID == rule.ID || result.RuleID == "" && result.RuleIndex != nil && *result.RuleIndex == i {
			id, level = rule.ID, cmp.Or(level, rule.Configuration.Level, "warning") // the standard's default
			break
		}
	}
	elsewhere := len(r.Tool.Extensions) > 0 || result.Rule != nil || result.RuleIndex != nil ||
		len(r.Tool.Driver.Rules) > 0 && strings.Contains(id, "/")
	if level == "" && elsewhere {
		return f, false, fmt.Errorf("a result of the SARIF (%s) has no level, and its rule is not one of the program's own: have the program give each result its level", Line(id, MaxTitle))
	}
	path, first, last := r.place(result.Locations)
	if path == "" && slices.ContainsFunc(result.Locations,
		func(l sarifLocation) bool { return l.Physical.Artifact.Index != nil }) {
		return f, false, errors.New("a result of the SARIF names its file by an index alone")
	}
	f = linted(result.Message.Text, path)
	f.Category, f.Line, f.Last = cmp.Or(Kebab(id), f.Category), first, last
	f.Severity = cmp.Or(map[string]Severity{"error": High, "note": Low}[level], Medium)
	return f, level == "none", nil
}

func (r *sarifRun) place(locations []sarifLocation) (path string, first, last int) {
	for _, l := range locations {
		if path = r.path(l.Physical.Artifact); path != "" {
			return path, l.Physical.Region.StartLine, l.Physical.Region.EndLine
		}
	}
	return "", 0, 0
}

// path returns the path of a file, below the folder of its base if the run defines that.
func (r *sarifRun) path(a sarifArtifact) string {
	u, err := url.Parse(a.URI)
	if err != nil {
		return a.URI
	}
	if base, err := url.Parse(r.Bases[a.Base].URI); err == nil && !u.IsAbs() && r.Bases[a.Base].URI != "" {
		u = base.ResolveReference(u)
	}
	if (u.Scheme == "" || u.Scheme == "file") && u.Path != "" {
		return u.Path
	}
	return a.URI
}
