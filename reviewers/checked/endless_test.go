package checked

import (
	"fmt"
	"strings"
	"testing"
)

// A session writes what a check reads: files that include each other, and variables
// that hold each other, are followed within a bound.
func TestWhatNamesItselfManyTimesEnds(t *testing.T) {
	var loops, vars strings.Builder
	for i := range 40 {
		loops.WriteString("include Makefile\ninclude more.mk\n")
		fmt.Fprintf(&vars, "V%d =", i)
		for j := range 40 {
			fmt.Fprintf(&vars, " $(V%d)", j)
		}
		vars.WriteString("\n")
	}
	reads := 0
	files := map[string]string{
		"Makefile": loops.String() + vars.String() + "test: $(V1)\n\techo $(V1)\n",
		"more.mk":  loops.String(),
	}
	parts, _ := follow("make test", nil, func(p string) ([]byte, bool) {
		if reads++; reads > 50_000 {
			t.Fatal("it reads without an end")
		}
		text, ok := files[p]
		return []byte(text), ok
	})
	if parts["make  target test"] == nil {
		t.Errorf("the target is not followed: %v", parts)
	}
	for name, p := range parts {
		if len(strings.Join(p.lines, "\n")) > 2*longest {
			t.Errorf("%.40s grew to %d bytes", name, len(strings.Join(p.lines, "\n")))
		}
	}
}

// A script may go to folders that are not in the tree.
func TestAPathFromTheRootEnds(t *testing.T) {
	files, reads := tree("== t.sh\ncd /srv/app; sh run.sh\nsh /opt/run.sh\ncd $HOME/x; sh run.sh\n"), 0
	follow("sh t.sh", nil, func(p string) ([]byte, bool) {
		if reads++; reads > 1000 {
			t.Fatalf("it reads %s without an end", p)
		}
		text, ok := files[p]
		return []byte(text), ok
	})
}

// Chains of many thousand links, and files that as many commands name, are followed
// in time linear in the text: each file is read once, and no link is a call in a call.
func TestLongChainsAreFollowedLinearly(t *testing.T) {
	const links = 20_000
	chain := func(count int, link func(b *strings.Builder, i int)) string {
		var b strings.Builder
		for i := range count {
			link(&b, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, check, file, last string
		count                   int
		head, tail              string
		link                    func(b *strings.Builder, i int)
	}{
		{"targets", "make t0", "Makefile", "make  target t%d", links, "", "",
			func(b *strings.Builder, i int) { fmt.Fprintf(b, "t%d: t%d\n\ttrue\n", i, i+1) }},
		{"variables", "make t", "Makefile", "make  variable V%d", links, "t:\n\techo $(V0)\n", "",
			func(b *strings.Builder, i int) { fmt.Fprintf(b, "V%d = $(V%d)\n", i, i+1) }},
		{"one long variable", "make t", "Makefile", "make  variable V", links, "t:\n\techo $(V)\n", "",
			func(b *strings.Builder, i int) { fmt.Fprintf(b, "V += file%d.c\n", i) }},
		{"makes of one Makefile", "make t", "Makefile", "make  target u%d", links / 10, "", "",
			func(b *strings.Builder, i int) { fmt.Fprintf(b, "u%d:\n\ttrue\nt:\n\t$(MAKE) u%d\n", i, i) }},
		{"recipes of just", "just t0", "justfile", "task  t%d", links, "", "",
			func(b *strings.Builder, i int) { fmt.Fprintf(b, "t%d: t%d\n", i, i+1) }},
		{"scripts of composer", "composer t0", "composer.json", "composer  t%d", links / 10, `{"scripts":{`, `"x":"x"}}`,
			func(b *strings.Builder, i int) { fmt.Fprintf(b, `"t%d":["@t%d"],`, i, i+1) }},
		{"scripts of npm", "npm run all", "package.json", "npm  t%d", links / 10, `{"scripts":{`, `"x":"x"}}`,
			func(b *strings.Builder, i int) {
				if i == 0 {
					b.WriteString(`"all":"`)
					for n := range links / 10 {
						fmt.Fprintf(b, "npm run t%d; ", n)
					}
					b.WriteString(`",`)
				}
				fmt.Fprintf(b, `"t%d":"true",`, i)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, reads := c.head+chain(c.count, c.link)+c.tail, 0
			parts, _ := follow(c.check, nil, func(p string) ([]byte, bool) {
				if p == c.file {
					reads++
				}
				return []byte(text), p == c.file
			})
			last := c.last
			if strings.Contains(last, "%d") {
				last = fmt.Sprintf(last, c.count-1)
			}
			if parts[last] == nil {
				t.Errorf("of %d parts none is %q", len(parts), last)
			}
			if reads != 1 {
				t.Errorf("%s is read %d times", c.file, reads)
			}
		})
	}
}
