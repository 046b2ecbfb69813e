package main

import (
	"strings"
	"testing"
)

// A screen is drawn line by line, in its colours, and hostile text stays text.
func TestAScreenIsDrawn(t *testing.T) {
	var out strings.Builder
	screen := "$ git plan run\n\x1b[32m✓\x1b[39m one\x1b[2m  0:01\x1b[0m </text>&\n\x1b[2m\n\n"
	if err := draw(strings.NewReader(screen), &out, 20); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`height="70"`,
		`<tspan>$ git plan run</tspan></text>`,
		`<tspan fill="#3fb950">✓</tspan><tspan> one</tspan><tspan fill="#8b949e">  0:01</tspan><tspan> &lt;/text&gt;&amp;</tspan></text>`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
}
