package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// phrase is a pattern that means something in the languages with these
// extensions; without any, in all of them.
type phrase struct {
	ext     string
	pattern *pattern.Pattern
	has     []string // the line has one of these, if there are any: quicker than the pattern
}

func (p *phrase) in(text string) bool {
	return (p.has == nil || scan.HasAny(text, p.has)) && p.pattern.MatchString(text)
}

const (
	js    = testcode.JavaScript
	jvm   = "java kt kts scala groovy"
	clike = "c h cc cpp cxx hpp hh m mm"
)

// speaking makes the two functions of a rule that looks for phrases: which
// files have any, and which lines have one. A phrase that an edit of the line left
// unchanged is no hit.
func speaking(list []phrase, title string, want func(*scan.File) bool) (func(*scan.File) bool, func(*scan.Line) []scan.Hit) {
	byExt := map[string][]*phrase{}
	for i := range list {
		p := &list[i]
		for ext := range scan.Words(p.ext) {
			byExt[ext] = append(byExt[ext], p)
		}
		if p.ext == "" {
			byExt[""] = append(byExt[""], p)
		}
	}
	var here []*phrase
	wants := func(f *scan.File) bool {
		here = append(append([]*phrase(nil), byExt[""]...), byExt[f.Ext]...)
		return len(here) > 0 && want(f)
	}
	return wants, func(p *scan.Line) []scan.Hit {
		for _, said := range here {
			if said.in(p.Text()) && !p.Replaces(said.pattern.FindString) {
				return p.Hit(title)
			}
		}
		return nil
	}
}

// ownCode chooses program text that people wrote here, not fixtures.
func ownCode(f *scan.File) bool { return f.Code && !f.Fixture }

// productCode is ownCode without tests.
func productCode(f *scan.File) bool { return ownCode(f) && !f.ForTests }

// debuggers are statements that only make sense while somebody debugs. Statements that programs
// also use to print their output (fmt.Println, console.log, print) are not among them: those are
// in 1 to 2 % of ordinary commits, these in none of 5600.
var debuggers = []phrase{
	{ext: js, pattern: pattern.Of(`^\s*(?:if\s*\(.*\)\s*\{?\s*)?debugger\s*;?\s*\}?\s*(?://.*)?$`)},
	{ext: "py", pattern: pattern.Of(`^\s*(?:[^#"']*[:;]\s+)?(?:import (?:i?pdb|pudb|ipdb)\b.*|from i?pdb import set_trace.*|(?:import \w+;\s*)?(?:i?pdb|pudb|ipdb)\.set_trace\(.*\)|breakpoint\(\))\s*(?:#.*)?$`)},
	{ext: "rs", pattern: pattern.Of(`^[^/"]*\bdbg!\(`)},
	{ext: "rb", pattern: pattern.Of(`^\s*(?:require ['"](?:pry|byebug)['"]\s*;\s*)?(?:binding\.(?:pry|irb|b|break)|byebug|debugger)\s*(?:(?:if|unless)\b.*)?(?:#.*)?$`)},
	{ext: "ex exs", pattern: pattern.Of(`^\s*(?:require IEx;?\s*)?(?:IEx\.pry(?:\(\))?|dbg\(.*\))\s*$`)},
	{ext: "php", pattern: pattern.Of(`^\s*(?:var_dump|dd|dump|ddd|xdebug_break)\(.*\);`)},
	{ext: "go", pattern: pattern.Of(`^\s*(?:spew\.Dump|runtime\.Breakpoint|litter\.Dump)\(`)},
	{ext: "lua", pattern: pattern.Of(`^\s*(?:debug\.debug\(\)|require\(?['"]mobdebug['"]\)?\.start\(\))`)},
	{ext: "swift", pattern: pattern.Of(`^\s*raise\(SIGINT\)`)},
	{ext: "cs", pattern: pattern.Of(`^\s*(?:System\.Diagnostics\.)?Debugger\.(?:Break|Launch)\(\)`)},
	{ext: "c h cc cpp cxx hpp hh m mm", pattern: pattern.Of(`^\s*(?:__debugbreak\(\)|__builtin_debugtrap\(\)|DebugBreak\(\)|raise\(SIGTRAP\))\s*;`)},
	{ext: "sh bash zsh", pattern: pattern.Of(`^\s*set -[a-z]*x[a-z]*\s*#.*(?i:debug)`)},
}

func debugging() scan.Rule {
	r := scan.Rule{
		Name: "debugging", Category: "debugging", Severity: "medium", Confidence: scan.Certain, Blocks: true, Moves: true,
		Why: "A statement for debugging was left behind.",
	}
	r.Wants, r.Line = speaking(debuggers, "a debugging statement was left behind", ownCode)
	return r
}

// debugPrint is a print whose text says that somebody was looking for something.
var debugPrint = pattern.Of("^\\s*(?:console\\.(?:log|debug|warn|error|info)|(?:fmt\\.|log\\.|System\\.(?:out|err)\\.|std::)?(?:[Pp]rint(?:ln|f)?|Println|Printf)|puts|p|pp|echo|e?println!|var_dump|NSLog|Log\\.[de]|logger\\.(?:debug|info))\\s*(?:\\(\\s*)?[@f]?[\"'`](?:DEBUG\\b|(?i:debug(?:ging)?[\\d:!>\"'`=]|got here|i'?m here|we are here|made it|reached (?:here|this)|here[\\d!:\\s\"'`]|wtf|asdf|foo ?bar|test(?:ing)?[ \\d]*[\"'`]|hello[ \\d!]*[\"'`])|XXX|!{3,}|>{3,}|#{3,}|\\*{3,}|={5,} ?[A-Z]*[ \"'`]|@{3,})")

var debugWords = strings.Fields("DEBUG debug Debug here HERE Here XXX !!! >>> ### *** @@@ === wtf WTF asdf foo test Test TEST hello Hello made reached")

func debugPrints() scan.Rule {
	r := scan.Rule{
		Name: "debug-print", Category: "debugging", Severity: "low", Confidence: scan.Likely, Moves: true,
		Why: "The text of the print says that it was made while looking for something.",
	}
	r.Wants, r.Line = speaking([]phrase{{pattern: debugPrint, has: debugWords}}, "a print for debugging was left behind", productCode)
	return r
}

// silencers switch a checker off for a line, a function or a file.
var silencers = []phrase{
	{ext: "go", pattern: pattern.Of(`//\s?nolint\b(?::[\w,-]+)?|#nosec\b|//lint:(?:file-)?ignore\b|//go:nocheckptr`)},
	{ext: "py pyi", pattern: pattern.Of(`#\s*(?:noqa\b|type:\s*ignore\b|pylint:\s*disable|pragma:\s*no cover|mypy:\s*(?:ignore|disable)|ruff:\s*noqa|pyright:\s*(?:ignore|basic)|flake8:\s*noqa|nosec\b|fmt:\s*off\b|yapf:\s*disable)|^\s*warnings\.(?:filterwarnings|simplefilter)\(\s*["']ignore`)},
	{ext: js, pattern: pattern.Of(`@ts-(?:ignore|expect-error|nocheck)\b|eslint-disable|tslint:disable|biome-ignore|istanbul ignore|[cv]8 ignore|prettier-ignore|oxlint-disable|@flow-ignore|\$Flow(?:FixMe|Ignore)|stylelint-disable`)},
	{ext: "css scss less", pattern: pattern.Of(`stylelint-disable`)},
	{ext: jvm, pattern: pattern.Of(`@SuppressWarnings\b|@(?:file:)?Suppress\(|//\s*NOSONAR|@SuppressLint\b|@SuppressFBWarnings\b|CHECKSTYLE[.: ]OFF|ktlint-disable|noinspection`)},
	{ext: "rs", pattern: pattern.Of(`#!?\[(?:allow|expect)\(|#\[rustfmt::skip\]`)},
	{ext: clike, pattern: pattern.Of(`\bNOLINT(?:NEXTLINE|BEGIN)?\b|#\s*pragma (?:GCC|clang) diagnostic ignored|#\s*pragma warning\s*\(\s*disable|cppcheck-suppress|coverity\[|LCOV_EXCL|clang-format off`)},
	{ext: "cs", pattern: pattern.Of(`#pragma warning disable|\[(?:\w+: )?(?:[\w.]*\.)?SuppressMessage\(|#nullable disable|ReSharper disable`)},
	{ext: "rb", pattern: pattern.Of(`#\s*(?:rubocop|standard|reek):\s?(?:disable|todo)|:nocov:|#\s*steep:ignore|#\s*typed: (?:ignore|false)`)},
	{ext: "php", pattern: pattern.Of(`@phpstan-ignore|phpcs:(?:ignore|disable)|@psalm-suppress|CodeCoverageIgnore|@SuppressWarnings\(PHPMD`)},
	{ext: "swift", pattern: pattern.Of(`swiftlint:disable|swiftformat:disable`)},
	{ext: "sh bash ksh", pattern: pattern.Of(`#\s*shellcheck disable=`)},
	{ext: "dart", pattern: pattern.Of(`//\s*ignore(?:_for_file)?:`)},
	{ext: "tf hcl", pattern: pattern.Of(`#\s*(?:tfsec:ignore|checkov:skip|tflint-ignore|trivy:ignore)`)},
	{ext: "ex exs", pattern: pattern.Of(`#\s*credo:disable|@dialyzer\b.*nowarn|#\s*sobelow_skip`)},
	{ext: "lua", pattern: pattern.Of(`--\s*luacheck:\s*(?:ignore|no)|---@diagnostic disable`)},
	{ext: "sql", pattern: pattern.Of(`--\s*noqa\b|sqlfluff:disable`)},
	{ext: "html vue svelte", pattern: pattern.Of(`<!--\s*(?:eslint-disable|htmlhint|svelte-ignore|prettier-ignore)`)},
}

// suppressions are ordinary (3.4 % of commits), so they only advise; a fix may
// not add one, since it would silence the finding rather than answer it.
func suppressions() scan.Rule {
	r := scan.Rule{
		Name: "suppression", Category: "suppression", Severity: "low", Confidence: scan.Hint, Moves: true,
		Why: "A checker is silenced. Say why, or answer what it found.",
	}
	r.Wants, r.Line = speaking(silencers, "a checker is switched off here", ownCode)
	return r
}

// defusers make a check pass whatever it finds, in places where checks are configured.
var defusers = []phrase{
	{pattern: pattern.Of(`^\s*(?:continue-on-error|allow_failure|allowFailure|continueOnError)\s*:\s*true\b`)},
	{pattern: pattern.Of(`(?i)\b(?:test|lint|vet|check|pytest|tox|eslint|tsc|mypy|ruff|flake8|clippy|rspec|rubocop|phpunit|verify|audit|fmt)\b[^#|]*\|\|\s*(?:true\b|:|exit 0|echo\b)`)},
	{pattern: pattern.Of(`--passWithNoTests\b|--no-verify\b|-DskipTests\b|-Dmaven\.test\.skip=true|--exit-zero\b|\bSKIP_TESTS[=:]\s*["']?(?:1|true)|--allow-empty-tests|(?:\s|^)-x test\b`)},
	{pattern: pattern.Of(`^\s*(?:if|when)\s*:\s*(?:\$\{\{\s*)?["']?(?:false|never)\b`)},
	{pattern: pattern.Of(`^\s*"(?:test|lint|check|typecheck)"\s*:\s*"(?:true|exit 0|echo [^"\\&|;]*|:)?"`)},
}

var checksPath = pattern.Of(`(?i)(?:^|/)(?:makefile|gnumakefile|.*\.mk|package\.json|tox\.ini|noxfile\.py|justfile|taskfile\.ya?ml|rakefile|build\.gradle(?:\.kts)?|pom\.xml|lefthook\.ya?ml|\.pre-commit-config\.yaml|(?:test|check|lint|ci|build)[^/]*\.sh)$|(?:^|/)\.husky/`)

// checksDefused finds checks that were made to pass whatever they find. Honest
// set-ups do it for steps that are experimental, so it advises; a fix may not.
func checksDefused() scan.Rule {
	r := scan.Rule{
		Name: "check-defused", Category: "suppression", Severity: "medium", Confidence: scan.Likely, Moves: true,
		Why: "A check that cannot fail proves nothing.",
	}
	r.Wants, r.Line = speaking(defusers, "a check can no longer fail here", func(f *scan.File) bool {
		return (f.Class == scan.CI || checksPath.MatchString(f.Path)) && !f.Fixture
	})
	return r
}

var unfinishedMark = pattern.Of(`(?:^|[\s/#*;(!-])(TODO|FIXME|XXX|HACK|TBD)\b(?:\(|:|\s|\?|!|$)`)

var stubs = []phrase{
	{pattern: unfinishedMark, has: []string{"TODO", "FIXME", "XXX", "HACK", "TBD"}},
	{ext: "py", pattern: pattern.Of(`^\s*raise NotImplementedError\(\s*["'].*(?i:todo|not (?:yet )?implemented|implement)`)},
	{ext: "go", pattern: pattern.Of(`\bpanic\("(?i:todo|(?:not (?:yet )?|un)implemented|implement me)[^"]*"\)`)},
	{ext: "rs", pattern: pattern.Of(`\b(?:todo|unimplemented)!\(`)},
	{ext: js, pattern: pattern.Of("throw new Error\\(\\s*[\"'`](?i:todo|(?:method |function )?not (?:yet )?implemented|implement me)")},
	{ext: "kt kts", pattern: pattern.Of(`\bTODO\(`)},
	{ext: "cs", pattern: pattern.Of(`throw new (?:System\.)?NotImplementedException\(`)},
	{ext: "java scala groovy", pattern: pattern.Of(`throw new UnsupportedOperationException\(\s*"(?i:todo|not (?:yet )?implemented|implement)`)},
}

// unfinished marks are ordinary (1 % of commits), and so are stubs.
func unfinished() scan.Rule {
	r := scan.Rule{
		Name: "unfinished", Category: "unfinished", Severity: "low", Confidence: scan.Hint, Moves: true,
		Why: "The code says itself that something is still to be done.",
	}
	r.Wants, r.Line = speaking(stubs, "marked as unfinished", ownCode)
	return r
}

const comment = `^\s*(?://+|#+|/\*+|<!--|--+|;+|\*|\{/\*|%|"""|''')\s*`

// elided are the marks with which models leave out what was there.
var elisionWords = strings.Fields("... … main unchanged Unchanged UNCHANGED same omitted Omitted truncated Truncated elided shortened abbreviated here goes go continues before below")

var elided = []phrase{
	{pattern: pattern.Of(`(?i)` + comment + `[\[(<]?(?:\.{3}|…)\s*\(?(?:and )?(?:the )?(?:(?:rest|remainder)(?: of\b|\W*$)|remaining|existing|previous|other (?:methods|functions|code|imports|fields|cases|tests|existing)|unchanged|same as|omitted|your (?:existing )?code|more (?:code|methods|functions|tests)|keep|code (?:unchanged|continues|above|below))\b`), has: elisionWords},
	{pattern: pattern.Of(`(?i)` + comment + `[\[(<]?(?:the )?(?:rest|remainder) of (?:the |your |this )?(?:existing |original |previous )?(?:code|file|function|class|implementation|method|methods|functions|module|component|imports|tests|logic|script|body)\b\W{0,3}(?:(?:remains?|stays?|is|are) (?:the same|unchanged|as (?:before|is|it was)|identical|omitted|below|here)|goes (?:here|below)|unchanged\b|here\b|omitted\b|as before|continues|\.\.\.|…)`), has: elisionWords},
	{pattern: pattern.Of(`(?i)` + comment + `[\[(<]?(?:keep |all )?(?:existing|previous|original|other|remaining|unchanged) (?:code|imports|methods|functions|implementation|fields|logic|tests|content|routes|handlers|props|styles)\W{0,3}(?:(?:remains?|stays?|is|are) (?:the same|unchanged|as (?:before|is|it was)|identical|omitted|below|here)|goe?s? (?:here|below)|unchanged\b|here\b|omitted\b|as before|continues|\.\.\.|…)`), has: elisionWords},
	{pattern: pattern.Of(`(?i)` + comment + `[\[(<]?(?:(?:code|implementation|content|lines|details|body|rest|imports) )?(?:is |are )?(?:omitted|truncated|elided|shortened|unchanged|abbreviated) for (?:brevity|clarity|space)`), has: elisionWords},
}

// elisions find the remark that a model writes in place of code that it did not repeat: the code
// is gone. In the histories measured it never occurred.
func elisions() scan.Rule {
	r := scan.Rule{
		Name: "elision", Category: "unfinished", Severity: "high", Confidence: scan.Likely, Blocks: true, Guard: true, Moves: true,
		Why: "A remark is where code should be: that code was not written, or was lost.",
	}
	var line func(*scan.Line) []scan.Hit
	r.Wants, line = speaking(elided, "a remark in place of code", func(f *scan.File) bool {
		return ownCode(f) && f.Class != scan.CI
	})
	r.Line = func(p *scan.Line) []scan.Hit {
		if p.This().New == 1 && strings.HasPrefix(p.Text(), "```") { // an answer was stored with its fence
			return p.Hit("a fence of Markdown around the code")
		}
		return line(p)
	}
	return r
}

// insecure switch the check of a server's certificate off.
var insecure = []phrase{
	{ext: "go", pattern: pattern.Of(`InsecureSkipVerify\s*[:=]=?\s*true|ssh\.InsecureIgnoreHostKey\(\)`)},
	{ext: "py", pattern: pattern.Of(`\bverify\s*=\s*False\b|_create_unverified_context|CERT_NONE\b|check_hostname\s*=\s*False|disable_warnings\(\s*(?:urllib3\.exceptions\.)?InsecureRequestWarning|AutoAddPolicy\(\)|verify_ssl\s*=\s*False|ssl\s*=\s*False\b`)},
	{ext: js + " json", pattern: pattern.Of(`rejectUnauthorized["']?\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED["']?\]?\s*[:=]\s*["']?0|strictSSL["']?\s*:\s*false|strict-ssl["']?\s*[:=]\s*false|checkServerIdentity\s*:\s*\(\)\s*=>`)},
	{ext: "rb", pattern: pattern.Of(`VERIFY_NONE\b|verify_ssl\s*(?:=|:|=>)\s*false|verify:\s*false`)},
	{ext: "php", pattern: pattern.Of(`CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0)|['"]verify(?:_peer(?:_name)?)?['"]\s*=>\s*false|allow_self_signed['"]\s*=>\s*true`)},
	{ext: jvm, pattern: pattern.Of(`TrustAll|ALLOW_ALL_HOSTNAME_VERIFIER|NoopHostnameVerifier|setHostnameVerifier\(\s*\(.*\)\s*->\s*true|InsecureTrustManagerFactory|trustAllCerts`)},
	{ext: "cs", pattern: pattern.Of(`ServerCertificate(?:Custom)?ValidationCallback\s*\+?=\s*.*(?:=>\s*true|return true)|DangerousAcceptAnyServerCertificateValidator|TrustServerCertificate\s*=\s*true`)},
	{ext: "rs", pattern: pattern.Of(`danger_accept_invalid_(?:certs|hostnames)\(\s*true|SslVerifyMode::NONE|dangerous\(\)\s*\.set_certificate_verifier`)},
	{ext: clike, pattern: pattern.Of(`CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:0L?|false)|SSL_VERIFY_NONE\b`)},
	{ext: "sh bash zsh yml yaml mk ps1", pattern: pattern.Of(`\bcurl\s(?:[^|;&#]*\s)?(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?:\s|$)|\bwget\s[^|;&#]*--no-check-certificate|http\.sslVerify[= ]\s*["']?false|GIT_SSL_NO_VERIFY[=:]\s*["']?(?:1|true)|NODE_TLS_REJECT_UNAUTHORIZED[=:]\s*["']?0|StrictHostKeyChecking[= ]\s*["']?no\b|SkipCertificateCheck|strict-ssl[ =]false|PYTHONHTTPSVERIFY=0`)},
	{ext: "swift", pattern: pattern.Of(`disableEvaluation\b|DisabledTrustEvaluator\(`)},
	{ext: "dart", pattern: pattern.Of(`badCertificateCallback\s*=\s*.*=>\s*true`)},
}

// tlsOff only advises: tools that offer the choice must name it too.
func tlsOff() scan.Rule {
	r := scan.Rule{
		Name: "tls-off", Category: "security", Severity: "medium", Confidence: scan.Likely, Moves: true,
		Why: "Who answers is no longer checked: anybody on the way can read and change what is sent.",
	}
	speaks, line := speaking(insecure, "the check of certificates is switched off", func(f *scan.File) bool { return true })
	r.Wants = func(f *scan.File) bool {
		return speaks(f) && !f.ForTests && f.Class != scan.Vendored && f.Class != scan.Generated
	}
	r.Line = func(p *scan.Line) []scan.Hit {
		if testcode.IsComment(p.Text()) {
			return nil
		}
		return line(p)
	}
	return r
}

var homePath = pattern.Of(`(?:^|["'\x60\s=(:,])(?:file://)?(?:/(?:home|Users)/([A-Za-z][\w.-]*)/[\w.-]|[A-Za-z]:\\{1,2}Users\\{1,2}([A-Za-z][\w.-]*)\\)`)

var sharedHomes = scan.Words("user username you me name yourname your-name myuser youruser alice bob foo bar test tester testuser example someone somebody runner ubuntu vagrant node app circleci travis vscode codespace jovyan appuser nonroot gitpod coder linuxbrew runneradmin public shared default me.name git jenkins docker builder deploy www pi vsts ec2-user azureuser opc gh john jane joe")

// homePaths finds a folder of one person (0.5 % of ordinary commits).
func homePaths() scan.Rule {
	find := func(s string) string {
		m := homePath.FindStringSubmatch(s)
		if m == nil || sharedHomes[strings.ToLower(m[1]+m[2])] {
			return ""
		}
		return m[0]
	}
	return scan.Rule{
		Name: "home-path", Category: "hygiene", Severity: "low", Confidence: scan.Likely, Moves: true,
		Why: "The folder exists on one machine only, and its name tells whose.",
		Wants: func(f *scan.File) bool {
			return (f.Class == scan.Source || f.Class == scan.Config || f.Class == scan.CI) && !f.ForTests
		},
		Line: func(p *scan.Line) []scan.Hit {
			if !strings.Contains(p.Text(), "Users") && !strings.Contains(p.Text(), "/home/") {
				return nil
			}
			if find(p.Text()) == "" || testcode.IsComment(p.Text()) || p.Replaces(find) {
				return nil
			}
			return p.Hit("a folder of one person")
		},
	}
}
