// Command picture draws a terminal's screen, as `tmux capture-pane -e -p` prints
// it, as an SVG.
package main

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// Sizes in pixels; a column of the usual fixed fonts is 0.6 of their size.
const (
	fontSize   = 14
	column     = 8.43
	lineHeight = 19
	margin     = 16
)

// colors are those of SGR 31 to 36 on a dark ground.
var colors = map[string]string{
	"31": "#ff7b72", "32": "#3fb950", "33": "#d29922", "34": "#58a6ff", "35": "#bc8cff", "36": "#39c5cf",
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

func main() {
	if err := draw(os.Stdin, os.Stdout, 100); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// draw draws all lines but the empty ones at the end.
func draw(from io.Reader, to io.Writer, columns int) error {
	var lines []string
	in := bufio.NewScanner(from)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if err := in.Err(); err != nil {
		return err
	}
	for len(lines) > 0 && strings.TrimSpace(sgr.ReplaceAllString(lines[len(lines)-1], "")) == "" {
		lines = lines[:len(lines)-1]
	}
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" fill="#e6edf3">`+"\n",
		2*margin+column*float64(columns), 2*margin+lineHeight*len(lines), fontSize)
	fmt.Fprintln(w, `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`)
	style := ""
	for i, line := range lines {
		fmt.Fprintf(w, `<text x="%d" y="%d" xml:space="preserve">`, margin, margin+lineHeight*(i+1)-5)
		style = spans(w, line, style)
		fmt.Fprintln(w, "</text>")
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// spans writes a line that begins in a style, and returns the style it ends in.
func spans(w io.Writer, line, style string) string {
	put := func(text string) {
		if text == "" {
			return
		}
		fmt.Fprintf(w, "<tspan%s>", style)
		_ = xml.EscapeText(w, []byte(text))
		fmt.Fprint(w, "</tspan>")
	}
	at := 0
	for _, m := range sgr.FindAllStringSubmatchIndex(line, -1) {
		put(line[at:m[0]])
		at = m[1]
		for _, code := range strings.Split(line[m[2]:m[3]], ";") {
			style = styled(style, code)
		}
	}
	put(line[at:])
	return style
}

// styled is a style after one more SGR code, as attributes.
func styled(style, code string) string {
	switch code {
	case "", "0", "39":
		return ""
	case "2":
		return ` fill="#8b949e"`
	case "1":
		return ` font-weight="bold"`
	}
	if color, ok := colors[code]; ok {
		return ` fill="` + color + `"`
	}
	return style
}
