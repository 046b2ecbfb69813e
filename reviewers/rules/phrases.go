package rules

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// ownCode chooses program text that people wrote here, not fixtures.
func ownCode(f *File) bool { return f.Code && !f.Fixture }

// silencers are marks that switch a checker off, in a line without its blanks, by the extensions of a language.
var silencers = []struct{ ext, marks string }{
	{"go", `=new(testing.T) //nolint #nosec //lint:ignore //lint:file-ignore //go:nocheckptr`},
	{"py pyi", `#noqa #type:ignore #pylint:disable #pragma:nocover #mypy:ignore #mypy:disable #ruff:noqa
		#pyright:ignore #pyright:basic #flake8:noqa #nosec exceptAssertionError suppress(AssertionError #fmt:off
		#yapf:disable warnings.filterwarnings("ignore warnings.filterwarnings('ignore warnings.simplefilter("ignore
		warnings.simplefilter('ignore`},
	{js, `@ts-ignore @ts-expect-error @ts-nocheck eslint-disable tslint:disable biome-ignore istanbulignore c8ignore
		v8ignore prettier-ignore oxlint-disable @flow-ignore $FlowFixMe $FlowIgnore stylelint-disable
		<!--svelte-ignore <!--htmlhint`},
	{"css scss less", `stylelint-disable`},
	{"java kt kts scala groovy", `@SuppressWarnings @Suppress( @file:Suppress( //NOSONAR @SuppressLint
		@SuppressFBWarnings CHECKSTYLE.OFF CHECKSTYLE:OFF ktlint-disable noinspection catch(AssertionError`},
	{"rs", `#[allow( #![allow( #[expect( #![expect( #[rustfmt::skip]`},
	{"c h cc cpp cxx hpp hh m mm", `NOLINT #pragmaGCCdiagnosticignored #pragmaclangdiagnosticignored
		#pragmawarning(disable cppcheck-suppress coverity[ LCOV_EXCL clang-formatoff`},
	{"cs", `#pragmawarningdisable SuppressMessage( #nullabledisable ReSharperdisable`},
	{"rb", `#rubocop:disable #rubocop:todo #standard:disable #reek:disable :nocov: #steep:ignore #typed:ignore
		#typed:false`},
	{"php", `@phpstan-ignore phpcs:ignore phpcs:disable @psalm-suppress CodeCoverageIgnore @SuppressWarnings(PHPMD`},
	{"swift", `swiftlint:disable swiftformat:disable`},
	{"sh bash ksh", `#shellcheckdisable=`},
	{"dart", `//ignore: //ignore_for_file:`},
	{"tf hcl", `#tfsec:ignore #checkov:skip #tflint-ignore #trivy:ignore`},
	{"ex exs", `#credo:disable #sobelow_skip @dialyzer{:nowarn`},
	{"lua", `--luacheck:ignore --luacheck:no ---@diagnosticdisable`},
	{"sql", `--noqa sqlfluff:disable`},
	{"html", `<!--eslint-disable <!--htmlhint <!--prettier-ignore`},
	// of CI
	{"yml yaml", `continue-on-error:true continueOnError:true allow_failure:true --exit-zero --passWithNoTests
		-DskipTests -Dmaven.test.skip=true --no-verify`},
}

// suppressions finds silenced checkers. 3.4 % of commits do it, so a review advises; a fix may not silence its finding.
func suppressions() Rule {
	var marks []string
	silenced := func(text string) string { return firstIn(strings.Join(strings.Fields(text), ""), marks) }
	return Rule{
		Name: "suppression", Category: "suppression", Severity: "low", Moves: true,
		Why: "A checker is silenced. Say why, or answer what it found.",
		Wants: func(f *File) bool {
			marks = nil
			for _, s := range silencers {
				if isOneOf(f.Ext, s.ext) && (ownCode(f) || f.Class == CI && !f.Fixture) {
					marks = append(marks, strings.Fields(s.marks)...)
				}
			}
			return len(marks) > 0
		},
		Line: func(p *Line) []Hit {
			if silenced(p.Text()) != "" && !p.Replaces(silenced) {
				return p.Hit("a checker is switched off here")
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

const (
	remark   = `(?i)^\s*(?://+|#+|/\*+|<!--|--+|;+|\*|\{/\*|%|"""|''')\s*[\[(<]?`
	omitted  = `(?:omitted|truncated|elided|shortened|unchanged|abbreviated)`
	asBefore = `(?:(?:remains?|stays?|is|are) (?:the same|unchanged|as (?:before|is|it was)|identical|omitted|` +
		`below|here)|goe?s? (?:here|below)|unchanged\b|here\b|omitted\b|as before|continues|\.\.\.|…)`
)

// elided matches the remarks with which models leave out code.
var elided = []visible.Pattern{
	visible.NewPattern(remark + `(?:\.{3}|…)\s*\(?(?:and )?(?:the )?(?:` + alternatives(`(?:rest|remainder)(?:\s+of\b|\W*$) remaining existing previous
		other\s(?:methods|functions|code|imports|fields|cases|tests|existing) unchanged same\sas omitted your\s(?:existing\s)?code
		more\s(?:code|methods|functions|tests) keep code\s(?:unchanged|continues|above|below)`) + `)\b`),
	visible.NewPattern(remark + `(?:the )?(?:rest|remainder) of (?:the |your |this )?(?:existing |original |previous )?(?:` +
		alternatives(`code file function class implementation methods? functions module component imports tests logic script body`) + `)\b\W{0,3}` + asBefore),
	visible.NewPattern(remark + `(?:keep |all )?(?:existing|previous|original|other|remaining|unchanged) (?:` +
		alternatives(`code imports methods functions implementation fields logic tests content routes handlers props styles`) + `)\W{0,3}` + asBefore),
	visible.NewPattern(remark + `(?:(?:code|implementation|content|lines|details|body|rest|imports) )?(?:is |are )?` +
		omitted + ` for (?:brevity|clarity|space)`),
}

// elisionWords are in every such remark: most lines have none, and need no pattern.
var elisionWords = strings.Fields(`... … main unchanged Unchanged UNCHANGED same omitted Omitted truncated
		Truncated elided shortened abbreviated here goes go continues before below`)

// elisions finds remarks in place of code. In the histories measured there was none.
func elisions() Rule {
	find := func(text string) string {
		if firstIn(text, elisionWords) == "" {
			return ""
		}
		for _, p := range elided {
			if said := p().FindString(text); said != "" {
				return said
			}
		}
		return ""
	}
	return Rule{
		Name: "elision", Category: "unfinished", Severity: "high", Blocks: true, Guard: true, Moves: true,
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
