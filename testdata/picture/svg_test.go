package main

import (
	"strings"
	"testing"
)

// A screen is drawn line by line, in its colours, and hostile text is escaped.
func TestScreenIsDrawn(t *testing.T) {
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

// Each line of several screens is shown as long as it was there, also on the last screen when nothing moves;
// a turned spinner alone is not a new screen.
func TestScreensMove(t *testing.T) {
	var out strings.Builder
	if err := draw(strings.NewReader("$ run\n⠋ one  0:01\n\f$ run\n⠙ one  0:02\n\f$ run\n✓ one\n\n\f"), &out, 20); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`dur="6.35s"/>`,
		`<tspan>$ run</tspan></text>`,
		` opacity="0"><tspan>⠙ one  0:02</tspan><set attributeName="opacity" to="1" begin="a.begin+0.00s" dur="0.35s"/></text>`,
		`><tspan>✓ one</tspan><set attributeName="opacity" to="0" begin="a.begin" dur="0.35s"/></text>`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "0:01") {
		t.Error("a turn of the spinner is a screen of its own")
	}
}
