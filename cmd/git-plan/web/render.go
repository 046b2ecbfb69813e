package web

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

//go:embed assets
var assets embed.FS

// pages has the templates. They are parsed when first used: no other command waits for them.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"asset": func(name string) (template.CSS, error) {
			b, err := assets.ReadFile("assets/" + name)
			return template.CSS(b), err
		},
		"sign":  sign,
		"shown": func(p *Page, n int) shownStep { return shownStep{p.Steps[n], p.Live, p.Acts} },
	}).ParseFS(assets, "assets/*.html"))
})

type shownStep struct {
	Step
	Live, Acts bool
}

// mostBytes bounds a page that is one file: what a pull request takes.
const mostBytes = 2_000_000

// WriteFile writes a page as one file without scripts; what does not fit is named and left out.
func WriteFile(w io.Writer, p *Page) error {
	var b bytes.Buffer
	for _, cut := range []struct {
		out string
		of  func(*Step)
	}{
		{"", func(*Step) {}},
		{"what the commits changed, and the attempts", func(s *Step) { s.Diff, s.Attempts, s.Earlier = nil, nil, 0 }},
		{"all of the steps but their titles", func(s *Step) { *s = Step{N: s.N, ID: s.ID, Title: s.Title, State: s.State, Commit: s.Commit} }},
	} {
		for i := range p.Steps {
			cut.of(&p.Steps[i])
		}
		p.LeftOut = cut.out
		b.Reset()
		if err := pages().ExecuteTemplate(&b, "file", p); err != nil {
			return err
		}
		if b.Len() < mostBytes {
			break
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// Bounds of a page: a plan may have 1,000 steps and 100,000 events.
const (
	mostEvents   = 200
	mostReason   = 400
	mostText     = 4000 // bytes of a longer text, such as a question
	mostCode     = 9    // lines of a file around what a finding quotes
	mostDiff     = 400  // lines of a diff
	mostInFile   = 4000 // lines of all diffs in a page that is one file
	mostHistory  = 2000 // attempts in a page, and of them at one step:
	mostAttempts = 20
	mostParts    = 200  // of a transcript
	longPart     = 1000 // bytes of one
	mostCalls    = 500  // of sessions at work
)

func line(s string) string { return visible.Line(s) }
func text(s string) string { return visible.Text(visible.Cut(s, mostText)) }

// ends returns the last lines of what a program printed: why something failed is mostly at its end.
func ends(s string) string {
	if len(s) <= mostText {
		return visible.Text(s)
	}
	tail := s[len(s)-mostText:]
	_, rest, whole := strings.Cut(tail, "\n")
	if !whole {
		rest = strings.ToValidUTF8(tail, "")
	}
	return visible.Text(fmt.Sprintf("... %s left out ...\n%s", terminal.Count(len(s)-len(rest), "byte"), rest))
}

// sign returns the sign for the state of a step, for people who do not see colours.
func sign(state string) string {
	return cmp.Or(map[string]string{"done": "✓", "blocked": "✗", "running": "●", "skipped": "–"}[state], "○")
}

func lines(list []string) (out []string) {
	for _, s := range list {
		out = append(out, line(s))
	}
	return out
}

func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
