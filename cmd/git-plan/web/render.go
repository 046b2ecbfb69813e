package web

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"sync"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
)

//go:embed assets
var assets embed.FS

// pages has the templates: page and file, which both show main, the part that changes; plans, diff,
// approve and refused. They are parsed when first used: no other command waits for them.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"columns": func() []string { return views.StatsColumns },
		"asset": func(name string) (template.CSS, error) {
			b, err := assets.ReadFile("assets/" + name)
			return template.CSS(b), err
		},
		"add": func(a, b int) int { return a + b },
	}).ParseFS(assets, "assets/*.html"))
})

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
	Done, Total             int
	Here                    bool   // its branch is checked out here
	At                      string // the page of the work tree that has its branch; "" if none has
}

func plansOf(list []checkout.Listed, repository, here string) *Plans {
	out := &Plans{Repository: line(repository)}
	for _, l := range list {
		out.List = append(out.List, Listed{ID: line(l.ID), Branch: line(l.Branch), State: line(l.State), Time: clock(l.Time), Done: l.Done, Total: l.Total, Here: l.ID == here})
	}
	return out
}

// mostBytes bounds a page that is one file: what a pull request takes.
const mostBytes = 2_000_000

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
