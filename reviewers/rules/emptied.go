package rules

import (
	"bytes"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// emptied reports whether a file of tests has none left, and what it had: the file is empty, or
// has kept only what was around the tests, such as helpers.
func emptied(c *Change, f *subject) (was []byte, ok bool) {
	if !f.test || f.Status != 'M' || f.Binary || f.OldOID == f.NewOID {
		return nil, false
	}
	now, ok := blob(c, f.NewOID)
	if !ok {
		return nil, false
	}
	if was, ok = blob(c, f.OldOID); !ok {
		return nil, false
	}
	if hollow(now, now) {
		return was, !hollow(was, was) && hollow(now, was)
	}
	left := proofs(f.Path, now)
	return was, left.tests+left.asserts == 0 && proofs(f.Path, was).tests > 0 && within(now, was)
}

// proofs counts the tests and assertions of a file.
func proofs(path string, data []byte) (d deletedTest) {
	def := definition(path)
	for l := range strings.Lines(string(data)) {
		d.loses(def, strings.TrimRight(l, "\r\n"))
	}
	return d
}

// within reports whether each line of a file, except remarks and functions, was in it before: any
// other new line may run tests in a form that nobody knows.
func within(now, was []byte) bool {
	had := map[string]bool{"": true}
	for l := range strings.Lines(string(was)) {
		had[strings.TrimSpace(l)] = true
	}
	function := false // the line is part of a function that began in the first column
	for l := range strings.Lines(string(now)) {
		t := strings.TrimSpace(l)
		if t != "" && indent(l) == 0 {
			function = functions.MatchString(l) || function && strings.Trim(t, "})];") == ""
		}
		if !had[t] && !isComment(t) && !function {
			return false
		}
	}
	return true
}

var functions = pattern.Of(`^(?:export |pub )?(?:async )?(?:def|func|function|fn|sub)\s`)

var (
	// imports and requires bring in what others wrote; the former may continue on other lines.
	// What follows on the same line is not part of them.
	imports  = pattern.Of(`^(?:import|from|use|using|require|require_relative|load|source|extern crate|\.)\s[^;]*;?$|^(?:const|let|var)\s+\{$`)
	requires = pattern.Of(`^(?:(?:const|let|var|local)\s[^(;]*)?=?\s*(?:await\s+)?(?:require|import)\s*\(\s*['"][^'"]*['"]\s*\)[\w.]*;?$`)
	// frames match what is around tests, without any
	frames = pattern.Of(`^(?:package\s+[\w.:]+;?|(?:(?:public|final|abstract|export|default|internal) )*class \w+\s*[{:]?|(?:mod|module|defmodule|namespace) [\w.:]+\s*(?:\{|do)?|` +
		`(?:describe|context|suite)\b.*(?:=>|function\s*\w*\(\))\s*\{\s*(?:\}\)?;?)?|[\])};,]+|end|pass|['"]use strict['"];?|export \{\s*\};?|<\?php|set -\w+|exit 0|true|:)$`)
)

var remarks = [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}}

// hollow reports whether a file, in whatever language, has nothing but blanks, remarks, imports
// that it had before, and the frame around tests that are gone. Tests that moved into another
// file are run by a new import of it.
func hollow(data, was []byte) bool {
	until := "" // what ends the remark or the import that began above
	for l := range strings.Lines(string(data)) {
		t := strings.TrimSpace(l)
		if until != "" {
			_, after, ended := strings.Cut(t, until)
			if !ended {
				continue
			}
			t, until = strings.TrimSpace(after), ""
		}
		for _, r := range remarks {
			if rest, begun := strings.CutPrefix(t, r[0]); begun {
				_, after, ended := strings.Cut(rest, r[1])
				if t = strings.TrimSpace(after); !ended {
					until = r[1]
				}
			}
		}
		brings := imports.MatchString(t) || requires.MatchString(t)
		switch {
		case brings && !bytes.Contains(was, []byte(t)):
			return false
		case brings && strings.HasSuffix(t, "("):
			until = ")"
		case brings && strings.HasSuffix(t, "{"):
			until = "}"
		case t != "" && !isComment(t) && !brings && !frames.MatchString(t):
			return false
		}
	}
	return true
}

// deletedTest is a test file that is gone.
type deletedTest struct {
	path  string
	how   string
	known bool // what a test looks like in its language
	seen  bool // its lines were seen
	tests int
	// lines outside of these that assert something: a script of assertions is a
	// test, and so is one written in a form that no pattern knows
	asserts int
}

// proves reports whether a file is a test, and not only named like one and beside tests.
func (d *deletedTest) proves() bool {
	named := testName.MatchString(d.path)
	return !d.known || d.tests > 0 || named && (!d.seen || d.asserts > 0)
}

// loses counts a line that is gone with the file.
func (d *deletedTest) loses(def *pattern.Pattern, line string) {
	switch d.seen = true; {
	case def != nil && def.MatchString(line):
		d.tests++
	case asserts(line):
		d.asserts++
	}
}

func asserts(text string) bool { return assertion.MatchString(text) && !isComment(text) }
