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
	parts := follow("make test", nil, func(p string) ([]byte, bool) {
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
