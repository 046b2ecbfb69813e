package rules

import (
	"bytes"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// isEmptied reports whether a file of tests has only what was around its tests, such as helpers.
func isEmptied(ext string, now, was []byte) bool {
	if isOnlyFrame(now, now) {
		return !isOnlyFrame(was, was) && isOnlyFrame(now, was)
	}
	tests, checks := countTests(ext, now)
	had, _ := countTests(ext, was)
	return tests+checks == 0 && had > 0 && within(now, was)
}

// countTests returns how many tests a file has, and how many lines outside of their first that assert.
func countTests(ext string, data []byte) (tests, checks int) {
	def := testDefinition(ext)
	for l := range strings.Lines(string(data)) {
		switch l = strings.TrimRight(l, "\r\n"); {
		case def != nil && def.MatchString(l):
			tests++
		case asserts(l):
			checks++
		}
	}
	return tests, checks
}

// within reports whether the file had each line before, except comments and functions: others may run tests.
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

var functions = visible.NewPattern(`^(?:export |pub )?(?:async )?(?:def|func|function|fn|sub)\s`)

var (
	// imports and requires bring in other code; the former may continue on other lines.
	imports  = visible.NewPattern(`^(?:import|from|use|using|require|require_relative|load|source|extern crate|\.)\s[^;]*;?$|^(?:const|let|var)\s+\{$`)
	requires = visible.NewPattern(`^(?:(?:const|let|var|local)\s[^(;]*)?=?\s*(?:await\s+)?(?:require|import)\s*\(\s*['"][^'"]*['"]\s*\)[\w.]*;?$`)
	// frames match what is around tests, without any
	frames = visible.NewPattern(`^(?:package\s+[\w.:]+;?|(?:(?:public|final|abstract|export|default|internal) )*class \w+\s*[{:]?|(?:mod|module|defmodule|namespace) [\w.:]+\s*(?:\{|do)?|` +
		`(?:describe|context|suite)\b.*(?:=>|function\s*\w*\(\))\s*\{\s*(?:\}\)?;?)?|[\])};,]+|end|pass|['"]use strict['"];?|export \{\s*\};?|<\?php|set -\w+|exit 0|true|:)$`)
)

var remarks = [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}}

// isOnlyFrame reports whether a file has only blanks, comments, imports that it had before, and the frame around
// tests that are gone. Tests that moved into another file are run by a new import.
func isOnlyFrame(data, was []byte) bool {
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
