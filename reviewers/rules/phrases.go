package rules

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// ownCode chooses program text that people wrote here, not fixtures.
func ownCode(f *File) bool { return f.Code && !f.Fixture }

// silencers are marks that switch a checker off, in a line without its blanks, by the extensions of a language.
var silencers = []struct{ ext, marks string }{
	{"go", `=new(testing.T) //nolint #nosec //lint:ignore //lint:file-ignore //go:nocheckptr`},
	{"py pyi", `#noqa #type:ignore #pylint:disable #pragma:nocover #mypy:ignore #mypy:disable #ruff:noqa #pyright:ignore #pyright:basic #flake8:noqa #nosec
		exceptAssertionError suppress(AssertionError #fmt:off #yapf:disable warnings.filterwarnings("ignore warnings.filterwarnings('ignore warnings.simplefilter("ignore warnings.simplefilter('ignore`},
	{js, `@ts-ignore @ts-expect-error @ts-nocheck eslint-disable tslint:disable biome-ignore istanbulignore c8ignore v8ignore prettier-ignore
		oxlint-disable @flow-ignore $FlowFixMe $FlowIgnore stylelint-disable <!--svelte-ignore <!--htmlhint`},
	{"css scss less", `stylelint-disable`},
	{"java kt kts scala groovy", `@SuppressWarnings @Suppress( @file:Suppress( //NOSONAR @SuppressLint @SuppressFBWarnings CHECKSTYLE.OFF CHECKSTYLE:OFF
		ktlint-disable noinspection catch(AssertionError`},
	{"rs", `#[allow( #![allow( #[expect( #![expect( #[rustfmt::skip]`},
	{"c h cc cpp cxx hpp hh m mm", `NOLINT #pragmaGCCdiagnosticignored #pragmaclangdiagnosticignored #pragmawarning(disable cppcheck-suppress coverity[
		LCOV_EXCL clang-formatoff`},
	{"cs", `#pragmawarningdisable SuppressMessage( #nullabledisable ReSharperdisable`},
	{"rb", `#rubocop:disable #rubocop:todo #standard:disable #reek:disable :nocov: #steep:ignore #typed:ignore #typed:false`},
	{"php", `@phpstan-ignore phpcs:ignore phpcs:disable @psalm-suppress CodeCoverageIgnore @SuppressWarnings(PHPMD`},
	{"swift", `swiftlint:disable swiftformat:disable`},
	{"sh bash ksh", `#shellcheckdisable=`},
	{"dart", `//ignore: //ignore_for_file:`},
	{"tf hcl", `#tfsec:ignore #checkov:skip #tflint-ignore #trivy:ignore`},
	{"ex exs", `#credo:disable #sobelow_skip @dialyzer{:nowarn`},
	{"lua", `--luacheck:ignore --luacheck:no ---@diagnosticdisable`},
	{"sql", `--noqa sqlfluff:disable`},
	{"html", `<!--eslint-disable <!--htmlhint <!--prettier-ignore`},
}

// defusers make a check pass whatever it finds: beginnings of a line without blanks, and options.
var (
	defusers       = strings.Fields(`continue-on-error:true allow_failure:true allowFailure:true continueOnError:true if:false when:never if:"false" if:'false' if:${{false`)
	defusingOption = strings.Fields(`--passWithNoTests --no-verify -DskipTests -Dmaven.test.skip=true --exit-zero SKIP_TESTS=1 SKIP_TESTS=true SKIP_TESTS:1 SKIP_TESTS:true
		SKIP_TESTS:"1 SKIP_TESTS:"true --allow-empty-tests -xtest`)
	checkWords    = `test lint vet check pytest tox eslint tsc mypy ruff flake8 clippy rspec rubocop phpunit verify audit fmt`
	alwaysPasses  = visible.NewPattern(`^\s*(?:true\b|:|exit 0|echo\b)`)
	emptyScript   = visible.NewPattern(`^\s*"(?:test|lint|check|typecheck)"\s*:\s*"(?:true|exit 0|echo [^"\\&|;]*|:)?"`)
	checkingFiles = visible.NewPattern(`(?i)(?:^|/)(?:` + alternatives(`makefile gnumakefile .*\.mk package\.json tox\.ini noxfile\.py justfile taskfile\.ya?ml rakefile
		build\.gradle(?:\.kts)? pom\.xml lefthook\.ya?ml \.pre-commit-config\.yaml (?:test|check|lint|ci|build)[^/]*\.sh`) + `)$|(?:^|/)\.husky/`)
)

// suppressions finds silenced checkers, and checks that can no longer fail. 3.4 % of ordinary commits do it, so a
// review only advises; a fix may not, since that would silence the finding.
func suppressions() Rule {
	var marks []string
	configures := false
	silenced := func(text string) string { return firstIn(strings.Join(strings.Fields(text), ""), marks) }
	return Rule{
		Name: "suppression", Category: "suppression", Severity: "low", Confidence: Hint, Moves: true,
		Why: "A checker is silenced, or can no longer fail. Say why, or answer what it found.",
		Wants: func(f *File) bool {
			marks = nil
			for _, s := range silencers {
				if isOneOf(f.Ext, s.ext) && ownCode(f) {
					marks = append(marks, strings.Fields(s.marks)...)
				}
			}
			configures = (f.Class == CI || checkingFiles.MatchString(f.FileDiff.Path)) && !f.Fixture
			return len(marks) > 0 || configures
		},
		Line: func(p *Line) []Hit {
			if silenced(p.Text()) != "" && !p.Replaces(silenced) {
				return p.Hit("a checker is switched off here")
			}
			if configures && defuses(p.Text()) != "" && !p.Replaces(defuses) {
				return p.Hit("a check can no longer fail here")
			}
			return nil
		},
	}
}

func firstIn(text string, words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(text, w) }); i >= 0 {
		return words[i]
	}
	return ""
}

func defuses(line string) string {
	text := strings.Join(strings.Fields(line), "")
	for _, d := range defusers {
		if strings.HasPrefix(text, d) {
			return d
		}
	}
	if o := firstIn(text, defusingOption); o != "" {
		return o
	}
	before, after, _ := strings.Cut(line, "||")
	if alwaysPasses.MatchString(after) && !strings.ContainsAny(before, "#|") {
		for w := range strings.FieldsFuncSeq(strings.ToLower(before), func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
			if isOneOf(w, checkWords) {
				return w
			}
		}
	}
	return emptyScript.FindString(line)
}

const (
	remark   = `(?i)^\s*(?://+|#+|/\*+|<!--|--+|;+|\*|\{/\*|%|"""|''')\s*[\[(<]?`
	omitted  = `(?:omitted|truncated|elided|shortened|unchanged|abbreviated)`
	asBefore = `(?:(?:remains?|stays?|is|are) (?:the same|unchanged|as (?:before|is|it was)|identical|omitted|below|here)|goe?s? (?:here|below)|unchanged\b|here\b|omitted\b|as before|continues|\.\.\.|…)`
)

// elided matches the remarks with which models leave out code.
var elided = []*visible.Pattern{
	visible.NewPattern(remark + `(?:\.{3}|…)\s*\(?(?:and )?(?:the )?(?:` + alternatives(`(?:rest|remainder)(?:\s+of\b|\W*$) remaining existing previous
		other\s(?:methods|functions|code|imports|fields|cases|tests|existing) unchanged same\sas omitted your\s(?:existing\s)?code
		more\s(?:code|methods|functions|tests) keep code\s(?:unchanged|continues|above|below)`) + `)\b`),
	visible.NewPattern(remark + `(?:the )?(?:rest|remainder) of (?:the |your |this )?(?:existing |original |previous )?(?:` +
		alternatives(`code file function class implementation methods? functions module component imports tests logic script body`) + `)\b\W{0,3}` + asBefore),
	visible.NewPattern(remark + `(?:keep |all )?(?:existing|previous|original|other|remaining|unchanged) (?:` +
		alternatives(`code imports methods functions implementation fields logic tests content routes handlers props styles`) + `)\W{0,3}` + asBefore),
	visible.NewPattern(remark + `(?:(?:code|implementation|content|lines|details|body|rest|imports) )?(?:is |are )?` + omitted + ` for (?:brevity|clarity|space)`),
}

// elisionWords are in every such remark: most lines have none, and need no pattern.
var elisionWords = strings.Fields("... … main unchanged Unchanged UNCHANGED same omitted Omitted truncated Truncated elided shortened abbreviated here goes go continues before below")

// elisions finds remarks in place of code. In the histories measured there was none.
func elisions() Rule {
	find := func(text string) string {
		if firstIn(text, elisionWords) == "" {
			return ""
		}
		for _, p := range elided {
			if said := p.FindString(text); said != "" {
				return said
			}
		}
		return ""
	}
	return Rule{
		Name: "elision", Category: "unfinished", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Moves: true,
		Why:   "A remark is where code should be: that code was not written, or was lost.",
		Wants: func(f *File) bool { return ownCode(f) && f.Class != CI },
		Line: func(p *Line) []Hit {
			switch {
			case p.This().New == 1 && strings.HasPrefix(p.Text(), "```"):
				return p.Hit("a fence of Markdown around the code")
			case find(p.Text()) != "" && !p.Replaces(find):
				return p.Hit("a remark in place of code")
			}
			return nil
		},
	}
}

// marker is a conflict marker of the default length (7) or longer (conflict-marker-size), with an optional label.
var marker = visible.NewPattern(`^(<{7,}|={7,}|>{7,})(?: .*)?$`)

// sides is what git writes after a first or last marker: a branch, a commit with its subject, or sides of a stash.
var sides = visible.NewPattern(`^(?:<{7}|>{7}) (?:[^\s:]+(?::\S+)?|[0-9a-f]{7,40}(?:\.\.\.)? .*|Updated upstream|Stashed changes)$`)

// asked are labels of search-and-replace blocks, an edit format of models with similar markers.
var asked = visible.NewPattern(`^[<>]{7,} ?(?:SEARCH|REPLACE|ORIGINAL|UPDATED)\b`)

// conflictMarkers finds unresolved conflicts: the three markers in order, at the start of a line, of one length.
// A lone row of equal signs is a heading of Markdown; a lone first or last marker with git's label is half of
// a conflict. The ordered three never occurred in 5600 ordinary commits.
func conflictMarkers() Rule {
	var c *Change
	var file *File
	var fenced []bool                  // the lines of the file that show code, once one is asked for
	var start git.DiffLine             // of the conflict that began last
	size, middle, outer := 0, false, 0 // outer ones began before it, and are reported as halves
	half := func() (hits []Hit) {      // of one that nothing ended
		if size > 0 {
			hits = lone(file, &start)
		}
		size, middle = 0, false
		return hits
	}
	return Rule{
		Name: "conflict-markers", Category: "hygiene", Severity: "critical", Confidence: Certain, Blocks: true, Guard: true, Gate: true,
		Why: "An unresolved merge conflict was left in the file.",
		File: func(change *Change, f *File) []Hit {
			hits := half()
			c, file, fenced, outer = change, f, nil, 0
			return hits
		},
		End: func(*Change) []Hit { return half() },
		Line: func(p *Line) []Hit {
			l := p.This()
			if l.Text == "" || !strings.Contains("<=>", l.Text[:1]) {
				return nil
			}
			m := marker.FindStringSubmatch(strings.TrimSuffix(l.Text, "\r"))
			if m == nil || asked.MatchString(l.Text) {
				return nil
			}
			switch same := size == len(m[1]); {
			case m[1][0] == '<':
				if size > 0 { // a merge of merges left both
					outer++
				}
				hits := half()
				start, size = *l, len(m[1])
				return hits
			case m[1][0] == '=':
				middle = middle || same
			case !same || !middle: // its end is half a conflict, too, and is reported once
				size, middle = 0, false
				if outer > 0 {
					outer--
					return nil
				}
				return lone(p.File, l)
			default:
				size, middle = 0, false
				if fenced == nil {
					fenced = fencedIn(c, p.File)
				}
				if start.New >= len(fenced) || !fenced[start.New] {
					return []Hit{{Path: p.File.FileDiff.Path, Line: start.New, Quote: start.Text, Title: "unresolved merge conflict"}}
				}
			}
			return nil
		},
	}
}

func lone(f *File, l *git.DiffLine) []Hit {
	text := strings.TrimSuffix(l.Text, "\r")
	if !f.Code && f.Class != Config && f.Class != Lock || f.Fixture || !sides.MatchString(text) {
		return nil
	}
	return []Hit{{Path: f.FileDiff.Path, Line: l.New, Quote: l.Text, Title: "half of an unresolved merge conflict"}}
}

// fencedIn returns which lines of a document are in a fenced code block, which may show a conflict.
func fencedIn(c *Change, f *File) []bool {
	data, ok := c.Blob(f.FileDiff.NewOID)
	if f.Class != Docs || !ok {
		return []bool{}
	}
	d := plan.NewDocument(data)
	d.ReadBlocks(0)
	return d.Fenced()
}

// hiddenText finds characters that make code read differently from what a compiler sees: those that reorder text
// (CVE-2021-42574), invisible ones, and lookalikes of Latin letters. Outside of program text it only notes them.
func hiddenText() Rule {
	return Rule{
		Name: "hidden-text", Category: "security", Severity: "high", Confidence: Certain, Blocks: true, Guard: true, Moves: true,
		Why: "Characters that are invisible, reorder text or look like other letters hide what the code does.",
		File: func(_ *Change, f *File) []Hit {
			if f.FileDiff.Status == 'D' || !strings.ContainsFunc(f.FileDiff.Path, visible.Reorders) {
				return nil
			}
			return []Hit{{Path: f.FileDiff.Path, Title: "the file's name holds a bidirectional control character"}}
		},
		Line: func(p *Line) []Hit {
			if !strings.ContainsFunc(p.Text(), func(r rune) bool { return r >= utf8.RuneSelf }) {
				return nil
			}
			title := hiddenIn(p)
			if title == "" {
				return nil
			}
			hits := p.Hit(title)
			if !p.File.Code {
				hits[0].Severity = "low"
			}
			return hits
		},
	}
}

func hiddenIn(p *Line) string {
	const byteOrderMark = 0xfeff
	text, first := p.Text(), p.This().New == 1 || p.This().Old == 1
	if i := strings.IndexFunc(text, visible.Reorders); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Sprintf("bidirectional control character %U", r)
	}
	for i, r := range visible.Hidden(text) {
		if visible.Ignorable(r) && !(r == byteOrderMark && first && i == 0) {
			return fmt.Sprintf("invisible character %U", r)
		}
	}
	if !ownCode(p.File) {
		return ""
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if isLookalike(w) {
			return fmt.Sprintf("a name mixes Latin letters with others that look the same: %+q", w)
		}
	}
	return ""
}

// isLookalike reports whether all letters of a word look Latin and some are not.
func isLookalike(w string) bool {
	latin, other := 0, 0
	for _, r := range w {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin++
		case r < utf8.RuneSelf:
		case unicode.IsLetter(r) && visible.LatinOf(r) != 0:
			other++
		default:
			return false
		}
	}
	return other > 0 && latin > 1
}
