package web

import (
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
}

// Listed is a line of that page.
type Listed struct {
	ID, Branch, State, Time string
	Done, Total             int
	Here                    bool // its branch is checked out here, so that it has a page
}

func plansOf(list []checkout.Listed, repository, here string) *Plans {
	out := &Plans{Repository: line(repository)}
	for _, l := range list {
		out.List = append(out.List, Listed{ID: line(l.ID), Branch: line(l.Branch), State: line(l.State), Time: clock(l.Time), Done: l.Done, Total: l.Total, Here: l.ID == here})
	}
	return out
}

// WriteFile writes a page as one file that needs neither a server nor a script.
func WriteFile(w io.Writer, p *Page) error { return pages().ExecuteTemplate(w, "file", p) }
