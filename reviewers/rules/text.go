package rules

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// bidiControls finds the characters that reorder text for the eye but not for
// the compiler (CVE-2021-42574). In program text they have no honest use;
// translations and prose in right-to-left scripts do use them.
func bidiControls() Rule {
	return Rule{
		Name: "bidi", Category: "security", Severity: "high", Blocks: true, Guard: true,
		Why: "Characters that change the order in which text is shown can hide what the code does.",
		Find: func(c Change) []Hit {
			var hits []Hit
			for _, f := range c.Diff.Files {
				if f.Status != 'D' && strings.ContainsFunc(f.Path, isBidi) {
					hits = append(hits, Hit{Path: f.Path, Title: "the file's name holds a bidirectional control character"})
				}
			}
			added(c, func(*git.FileDiff) bool { return true }, func(f *git.FileDiff, l git.Line) {
				i := strings.IndexFunc(l.Text, isBidi)
				if i < 0 {
					return
				}
				h := Hit{Path: f.Path, Line: l.New, Quote: l.Text, Title: fmt.Sprintf("bidirectional control character %U", []rune(l.Text[i:])[0])}
				if !isCode(f.Path) {
					h.Severity = "low"
				}
				hits = append(hits, h)
			})
			return hits
		},
	}
}

// isBidi reports embeddings, overrides and isolates; the plain marks (U+200E,
// U+200F) are part of ordinary text.
func isBidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// phrase is a pattern that means something in the languages with these extensions.
type phrase struct {
	ext     string
	pattern *pattern
}

const (
	js  = "js jsx ts tsx mjs cjs mts cts vue svelte"
	jvm = "java kt scala groovy"
)

// debuggers are statements that only make sense while somebody debugs. What is
// also printed in earnest (fmt.Println, console.log, print) is not among them:
// it stands in 1 to 2 % of ordinary commits, these in none of 5600.
var debuggers = []phrase{
	{js, lazily(`^\s*debugger\s*;?\s*$`)},
	{"py", lazily(`^\s*(?:import i?pdb\b.*|(?:import i?pdb;\s*)?i?pdb\.set_trace\(\)|breakpoint\(\))\s*$`)},
	{"rs", lazily(`^[^/"]*\bdbg!\(`)},
	{"rb", lazily(`^\s*(?:binding\.(?:pry|irb|b)|byebug)\s*$`)},
	{"ex exs", lazily(`^\s*(?:require IEx;\s*)?IEx\.pry(?:\(\))?\s*$`)},
	{"php", lazily(`^\s*(?:var_dump|dd|xdebug_break)\(`)},
	{"go", lazily(`^\s*(?:spew\.Dump|runtime\.Breakpoint)\(`)},
}

func debugging() Rule {
	return Rule{
		Name: "debugging", Category: "debugging", Severity: "medium", Blocks: true,
		Why:  "A statement for debugging was left behind.",
		Find: func(c Change) []Hit { return phrases(c, debuggers, "a debugging statement was left behind") },
	}
}

// silencers switch a checker off for a line, a function or a file.
var silencers = []phrase{
	{"go", lazily(`//\s?nolint\b|#nosec\b|//lint:ignore\b`)},
	{"py", lazily(`#\s*(?:noqa\b|type:\s*ignore\b|pylint:\s*disable|pragma:\s*no cover|mypy:\s*ignore|ruff:\s*noqa|pyright:\s*ignore)`)},
	{js, lazily(`@ts-(?:ignore|expect-error|nocheck)\b|eslint-disable|tslint:disable|biome-ignore|istanbul ignore|c8 ignore|v8 ignore`)},
	{jvm, lazily(`@SuppressWarnings\b|@Suppress\(|//\s*NOSONAR|@SuppressLint\b`)},
	{"rs", lazily(`#!?\[(?:allow|expect)\(`)},
	{"c h cc cpp cxx hpp", lazily(`\bNOLINT(?:NEXTLINE|BEGIN)?\b|#pragma (?:GCC|clang) diagnostic ignored`)},
	{"cs", lazily(`#pragma warning disable|\[(?:\w+: )?SuppressMessage\(`)},
	{"rb", lazily(`#\s*rubocop:disable`)},
	{"php", lazily(`@phpstan-ignore|phpcs:ignore|@psalm-suppress`)},
	{"swift", lazily(`swiftlint:disable`)},
	{"sh bash", lazily(`#\s*shellcheck disable=`)},
}

// suppressions are ordinary (3.4 % of commits), so they only advise; a fix may
// not add one, since it would silence the finding rather than answer it.
func suppressions() Rule {
	return Rule{
		Name: "suppression", Category: "suppression", Severity: "low",
		Why:  "A checker is told to look away. Say why, or answer what it found.",
		Find: func(c Change) []Hit { return phrases(c, silencers, "a checker is switched off here") },
	}
}

var unfinishedMark = lazily(`(?:^|[\s/#*;(-])(TODO|FIXME|XXX|HACK)\b(?:\(|:|\s)`)

// unfinished marks are ordinary too (1 % of commits).
func unfinished() Rule {
	return Rule{
		Name: "unfinished", Category: "unfinished", Severity: "low",
		Why: "The code says itself that something is still to be done.",
		Find: func(c Change) []Hit {
			var hits []Hit
			added(c, func(f *git.FileDiff) bool { return isCode(f.Path) }, func(f *git.FileDiff, l git.Line) {
				if m := unfinishedMark.FindStringSubmatch(l.Text + " "); m != nil {
					hits = append(hits, Hit{Path: f.Path, Line: l.New, Quote: l.Text, Title: "marked as unfinished: " + m[1]})
				}
			})
			return hits
		},
	}
}

// phrases finds added lines of code that match a pattern of their language and
// are not there merely because a line moved.
func phrases(c Change, list []phrase, title string) []Hit {
	byExt := map[string][]*pattern{}
	for _, p := range list {
		for ext := range words(p.ext) {
			byExt[ext] = append(byExt[ext], p.pattern)
		}
	}
	gone := removedLines(c)
	var hits []Hit
	added(c, func(f *git.FileDiff) bool { return isCode(f.Path) && !fixtureFolder.MatchString(f.Path) }, func(f *git.FileDiff, l git.Line) {
		for _, p := range byExt[extension(f.Path)] {
			if p.MatchString(l.Text) && !strings.Contains(gone, strings.TrimSpace(l.Text)) {
				hits = append(hits, Hit{Path: f.Path, Line: l.New, Quote: l.Text, Title: title})
				return
			}
		}
	})
	return hits
}
