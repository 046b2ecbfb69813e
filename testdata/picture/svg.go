// Command picture draws the contents of a terminal, as `tmux capture-pane -e -p` prints them, as an SVG;
// several screens become a moving one.
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

// The moving picture: each screen is shown for a beat, the last one for a while, and then it starts again.
const (
	beat = 0.35 // seconds
	last = 6.0
)

// turning is what moves although nothing happens: the sign of what is running, and clocks.
var turning = regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\d+:\d\d`)

// draw draws screens separated by form feeds as a moving picture, or one screen as a still one.
func draw(from io.Reader, to io.Writer, columns int) error {
	all, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	screens := different(strings.Split(strings.TrimRight(string(all), "\f"), "\f"))
	rows := 0
	for _, s := range screens {
		rows = max(rows, len(s))
	}
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" fill="#e6edf3">`+"\n",
		2*margin+column*float64(columns), 2*margin+lineHeight*rows, fontSize)
	fmt.Fprint(w, `<rect width="100%" height="100%" rx="8" fill="#0d1117">`)
	if len(screens) > 1 { // first the end is shown, which is what a reader came for
		fmt.Fprintf(w, `<animate id="a" attributeName="rx" values="8" begin="2s;a.end" dur="%.2fs"/>`, beat*float64(len(screens)-1)+last)
	}
	fmt.Fprintln(w, "</rect>")
	for row := range rows {
		for at := 0; at < len(screens); {
			from, text := at, line(screens[at], row)
			for at < len(screens) && line(screens[at], row) == text {
				at++
			}
			if text != "" {
				fmt.Fprintf(w, `<text x="%d" y="%d" xml:space="preserve"%s</text>`+"\n", margin, margin+lineHeight*(row+1)-5, between(from, at, len(screens), text))
			}
		}
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// between is a text that is visible from one screen on, until before another one.
func between(from, to, screens int, text string) string {
	switch {
	case to == screens && from == 0:
		return ">" + text
	case to == screens:
		return fmt.Sprintf(`>%s<set attributeName="opacity" to="0" begin="a.begin" dur="%.2fs"/>`, text, beat*float64(from))
	}
	return fmt.Sprintf(` opacity="0">%s<set attributeName="opacity" to="1" begin="a.begin+%.2fs" dur="%.2fs"/>`, text, beat*float64(from), beat*float64(to-from))
}

// different returns the lines of each screen that shows more than another turn of what is running.
func different(screens []string) (out [][]string) {
	was := ""
	for _, s := range screens {
		s = strings.TrimRight(s, "\n ")
		if plain := turning.ReplaceAllString(s, ""); plain != was || out == nil {
			was = plain
			out = append(out, drawn(s))
		} else {
			out[len(out)-1] = drawn(s)
		}
	}
	return out
}

// drawn is the lines of a screen as tspans.
func drawn(screen string) (out []string) {
	style := ""
	for _, l := range strings.Split(screen, "\n") {
		var b strings.Builder
		style = spans(&b, strings.TrimRight(l, " "), style)
		out = append(out, b.String())
	}
	for len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "" {
		out = out[:len(out)-1]
	}
	return out
}

func line(screen []string, row int) string {
	if row < len(screen) {
		return screen[row]
	}
	return ""
}

// spans writes a line that begins in a style, and returns the style at its end.
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
