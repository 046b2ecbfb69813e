package web

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
)

//go:embed assets
var assets embed.FS

// pages has the templates: page and file, which both show main, with its parts; what is asked for later,
// such as diff; plans, approve and refused. They are parsed when first used: no other command waits for them.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"columns": func() []string { return views.StatsColumns },
		"asset": func(name string) (template.CSS, error) {
			b, err := assets.ReadFile("assets/" + name)
			return template.CSS(b), err
		},
		"sign":  sign,
		"add":   func(a, b int) int { return a + b },
		"shown": func(p *Page, n int) shownStep { return p.shown(n) },
	}).ParseFS(assets, "assets/*.html"))
})

// parts are what changes of a page by itself, by the ids of their elements, which are the names of their
// templates too; only those of steps have one for all.
func (p *Page) parts() map[string]any {
	out := map[string]any{"head": p.Head, "s-graph": p.Graph, "s-manual": p.Manual, "s-review": p.Review, "s-time": p.Time, "s-stats": p.Stats, "log-more": p.More}
	for _, s := range p.Steps {
		out[stepPart+s.ID] = s
	}
	return out
}

const stepPart = "step-"

// part writes a part of the page.
func (p *Page) part(w io.Writer, id string) error {
	if step, ok := strings.CutPrefix(id, stepPart); ok {
		return pages().ExecuteTemplate(w, "step", p.shown(p.steps[step]))
	}
	return pages().ExecuteTemplate(w, id, p)
}

// shownStep is a step as it is shown to somebody.
type shownStep struct {
	Step
	Live, Acts bool
	Later      bool   // what is below its title is asked for when somebody opens it
	Way        string // from where it is shown to the addresses of the plan
}

// shown returns the n-th step.
func (p *Page) shown(n int) shownStep {
	s := p.Steps[n]
	return shownStep{Step: s, Live: p.Live, Acts: p.Acts, Later: p.Live && len(p.Steps) > mostWhole && s.Working == "" && !s.Blocked}
}

// Plans are all plans of a repository, for the page that lists them.
type Plans struct {
	Repository string
	List       []Listed
	Others     []Other
}

// Other is another folder with plans, and its page.
type Other struct{ Dir, At string }

// Listed is a line of that page.
type Listed struct {
	ID, Branch, State, Time string
	Title                   string
	Done, Total             int
	Waits                   bool   // for a person
	Only                    string // why nobody can act on it from here; "" if somebody can
	Here                    bool   // its branch is checked out here
	At                      string // its page, or that of the work tree that has its branch; "" if its branch is not here
}

func plansOf(list []checkout.Listed, repository, here string) *Plans {
	out := &Plans{Repository: line(repository)}
	for _, l := range list {
		out.List = append(out.List, Listed{ID: line(l.ID), Branch: line(l.Branch), Title: line(l.Title), State: line(l.State), Time: clock(l.Time), Done: l.Done, Total: l.Total,
			Here: l.ID == here, Waits: l.State == string(standing.Unapproved) || l.State == string(standing.Blocked), Only: views.Away(l)})
	}
	return out
}

// mostBytes bounds a page that is one file: what a pull request takes.
const mostBytes = 2_000_000

func withoutPrinted(s *Step) {
	for i := range s.Attempts {
		s.Attempts[i].Printed = ""
	}
}

// WriteFile writes a page as one file that needs neither a server nor a script. What there is no room for is
// left out, and the page says so.
func WriteFile(w io.Writer, p *Page) error {
	var b bytes.Buffer
	for _, cut := range []struct {
		out string
		of  func(*Step)
	}{
		{"", func(*Step) {}},
		{"what the commits changed", func(s *Step) { s.Diff = nil }},
		{"what the commits changed, and what checks printed", withoutPrinted},
		{"what the commits changed, the attempts, and what is to be done in each step", func(s *Step) { s.Do, s.Attempts, s.Earlier = "", nil, 0 }},
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
