package pages

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
)

// written are the pages that are texts: gitplan-NAME.SECTION.md, each with its
// title as the first heading, "NAME - what it is about"; and git-plan.1.md, the examples
// of git-plan(1).
//
//go:embed *.md
var written embed.FS

func writtenPages() []Page {
	files, _ := written.ReadDir(".")
	var out []Page
	for _, f := range files {
		if f.Name() == "git-plan.1.md" {
			continue
		}
		source, _ := written.ReadFile(f.Name())
		title, body, _ := bytes.Cut(bytes.TrimPrefix(source, []byte("# ")), []byte("\n"))
		name, about, _ := strings.Cut(string(title), " - ")
		section := 7
		fmt.Sscanf(strings.TrimPrefix(f.Name(), name), ".%d.md", &section)
		out = append(out, Page{Name: name, About: about, section: section, body: func(r *roffWriter) { r.markdown(body) }})
	}
	return out
}

// Topics returns the written pages by the names that git plan man takes.
func Topics() []string {
	var out []string
	for _, p := range writtenPages() {
		out = append(out, strings.TrimPrefix(p.Name, "gitplan-"))
	}
	return out
}

// examples returns those of git-plan(1), below their title.
func examples() []byte {
	source, _ := written.ReadFile("git-plan.1.md")
	_, body, _ := bytes.Cut(source, []byte("\n"))
	return body
}
