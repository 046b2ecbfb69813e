package testcode

import (
	"bytes"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Emptied reports whether a file of tests has none left: it is empty, or has kept only what was
// around the tests, such as helpers.
func Emptied(ext string, now, was []byte) bool {
	if IsOnlyFrame(now, now) {
		return !IsOnlyFrame(was, was) && IsOnlyFrame(now, was)
	}
	tests, asserts := Count(ext, now)
	had, _ := Count(ext, was)
	return tests+asserts == 0 && had > 0 && within(now, was)
}

// Count returns how many tests and assertions a file has.
func Count(ext string, data []byte) (tests, asserts int) {
	def := Definition(ext)
	for l := range strings.Lines(string(data)) {
		switch l = strings.TrimRight(l, "\r\n"); {
		case def != nil && def.MatchString(l):
			tests++
		case Asserts(l):
			asserts++
		}
	}
	return tests, asserts
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
		if t != "" && Indent(l) == 0 {
			function = functions.MatchString(l) || function && strings.Trim(t, "})];") == ""
		}
		if !had[t] && !IsComment(t) && !function {
			return false
		}
	}
	return true
}

var functions = visible.NewPattern(`^(?:export |pub )?(?:async )?(?:def|func|function|fn|sub)\s`)

var (
	// imports and requires bring in what others wrote; the former may continue on other lines.
	// What follows on the same line is not part of them.
	imports  = visible.NewPattern(`^(?:import|from|use|using|require|require_relative|load|source|extern crate|\.)\s[^;]*;?$|^(?:const|let|var)\s+\{$`)
	requires = visible.NewPattern(`^(?:(?:const|let|var|local)\s[^(;]*)?=?\s*(?:await\s+)?(?:require|import)\s*\(\s*['"][^'"]*['"]\s*\)[\w.]*;?$`)
	// frames match what is around tests, without any
	frames = visible.NewPattern(`^(?:package\s+[\w.:]+;?|(?:(?:public|final|abstract|export|default|internal) )*class \w+\s*[{:]?|(?:mod|module|defmodule|namespace) [\w.:]+\s*(?:\{|do)?|` +
		`(?:describe|context|suite)\b.*(?:=>|function\s*\w*\(\))\s*\{\s*(?:\}\)?;?)?|[\])};,]+|end|pass|['"]use strict['"];?|export \{\s*\};?|<\?php|set -\w+|exit 0|true|:)$`)
)

var remarks = [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}}

// IsOnlyFrame reports whether a file, in whatever language, has nothing but blanks, remarks, imports
// that it had before, and the frame around tests that are gone. Tests that moved into another
// file are run by a new import of it.
func IsOnlyFrame(data, was []byte) bool {
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
		case t != "" && !IsComment(t) && !brings && !frames.MatchString(t):
			return false
		}
	}
	return true
}
