package checked

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// sectionOf returns the lines of a part of a file that says how something is checked. They
// are text: they are compared, never interpreted.
func sectionOf(base, section, text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch ext := path.Ext(base); {
	case section == "hooks":
		return pythonHooks(text)
	case section == "scripts":
		return slices.DeleteFunc(lines(text, "#", ";"), npmHarmless.MatchString)
	case section == "yarn":
		return matching(lines(text, "#"), yarnRuns)
	case section == "go":
		return goDirectives(text)
	case section == "cargo":
		return cargoTests(text)
	case section == "gradle":
		return append(blocksOf(text, gradleTest), matching(lines(text, "//"), gradleLine)...)
	case section == "maven":
		return append(surefire(text), matching(lines(text), mavenLine)...)
	case ext == ".json" || base == ".eslintrc" || base == ".mocharc":
		return jsonLines(text, section)
	case ext == ".toml":
		return tables(text, func(name string) bool {
			return section == "" || name == section || strings.HasPrefix(name, section+".")
		})
	case ext == ".ini" || ext == ".cfg" || base == ".flake8" || strings.HasSuffix(base, "pylintrc") || base == ".coveragerc":
		return tables(text, func(name string) bool {
			return section == "" || name == section || strings.HasPrefix(name, section+":") || strings.HasPrefix(name, section+"-")
		})
	case section != "":
		return blocksOf(text, pattern.Of(`(?m)^\s*`+regexp.QuoteMeta(section)+`\s*:\s*\{`))
	}
	return lines(text, "#", "//")
}

var (
	// npmHarmless matches where packages come from, how they are saved, and what is shown.
	npmHarmless = pattern.Of(`^(?:(?:@[\w.-]+:)?registry|//\S+|save(?:-\w+)*|fund|audit(?:-level)?|engine-strict|legacy-peer-deps|strict-peer-dep\w*|strict-ssl|auto-install-peers|(?:shamefully-|public-)?hoist\S*|node-linker|loglevel|progress|color|package-lock|lockfile|prefer-\w+|update-notifier|always-auth|init-\S+|cache|access|provenance|link-workspace-packages|shared-workspace-lockfile|resolution-mode|dedupe-peer-dependents|omit|include|fetch-\S+|https?-proxy|proxy|noproxy|sign-git-tag|tag-version-prefix|message)\s*(?:=|$)`)
	yarnRuns    = pattern.Of(`(?i)yarn-?path|plugin|\b(?:path|spec):|script-?shell|node-?options|shellEmulator`)
	gradleTest  = pattern.Of(`(?m)^\s*(?:tasks\.)?(?:test|integrationTest|check|withType\s*[(<]\s*Test\b[^{\n]*|named\s*[(<][^{\n]*[tT]est[^{\n]*)\s*\{`)
	gradleLine  = pattern.Of(`(?i)\btest\w*\.(?:enabled|onlyIf|ignoreFailures|exclude|filter)|ignoreFailures|\btest\b.*\benabled\b`)
	mavenLine   = pattern.Of(`(?i)skipTests|maven\.test\.skip|testFailureIgnore|skipITs`)
)

func matching(list []string, want *pattern.Pattern) []string {
	return slices.DeleteFunc(list, func(l string) bool { return !want.MatchString(l) })
}

var tableHead = pattern.Of(`^\[+\s*"?([^\]"]+?)"?\s*\]+`)

// tables returns the lines of the chosen tables of TOML, or sections of INI: each key on one line
// with all that belongs to it.
func tables(text string, want func(name string) bool) (out []string) {
	in, open := want(""), 0
	for _, l := range strings.Split(text, "\n") {
		bare := strings.Join(strings.Fields(uncommented(l)), " ")
		if bare == "" || strings.HasPrefix(bare, ";") {
			continue
		}
		if m := tableHead.FindStringSubmatch(l); m != nil && open == 0 {
			if in = want(m[1]); in {
				out = append(out, "["+m[1]+"]")
			}
			continue
		}
		if !in {
			continue
		}
		goesOn := open > 0 || l[0] == ' ' || l[0] == '\t'
		open = max(open+brackets(bare), 0)
		if goesOn && len(out) > 0 && !strings.HasPrefix(out[len(out)-1], "[") {
			out[len(out)-1] = tight(out[len(out)-1] + " " + bare)
		} else {
			out = append(out, tight(bare))
		}
	}
	return slices.DeleteFunc(out, func(l string) bool {
		return strings.HasPrefix(l, "[") && !strings.HasPrefix(l, "[[") && tableHead.FindString(l) == l
	})
}

// unquoted calls each with every character outside of strings, until it returns false.
func unquoted(l string, each func(i int, c byte) bool) {
	quote := byte(0)
	for i := range len(l) {
		switch c := l[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case !each(i, c):
			return
		}
	}
}

// brackets returns how many more brackets a line opens than it closes.
func brackets(l string) (n int) {
	unquoted(l, func(_ int, c byte) bool {
		n += strings.Count("[{", string(c)) - strings.Count("]}", string(c))
		return true
	})
	return n
}

// uncommented returns a line without the remark at its end.
func uncommented(l string) string {
	end := len(l)
	unquoted(l, func(i int, c byte) bool {
		if c == '#' && (i == 0 || l[i-1] == ' ' || l[i-1] == '\t') {
			end = i
		}
		return end == len(l)
	})
	return l[:end]
}

var looseBlank = pattern.Of(` ?([\[\]{},=]) ?`)

// tight removes blanks and last commas, which only format.
func tight(l string) string {
	l = looseBlank.ReplaceAllString(l, "$1")
	return strings.NewReplacer(",]", "]", ",}", "}", "'", `"`).Replace(l)
}

// goDirectives returns the lines of a go.mod that say what code is built, and by what.
func goDirectives(text string) (out []string) {
	block := ""
	for _, l := range lines(text, "//") {
		l, _, _ = strings.Cut(l, " //")
		word, rest, _ := strings.Cut(l, " ")
		switch {
		case block != "" && l == ")":
			block = ""
		case block != "":
			out = append(out, block+" "+l)
		case (word == "replace" || word == "exclude" || word == "use" || word == "ignore") && rest == "(":
			block = word
		case word == "replace" || word == "exclude" || word == "toolchain" || word == "ignore":
			out = append(out, l)
		}
	}
	return slices.DeleteFunc(out, func(l string) bool { return strings.HasPrefix(l, "use ") })
}

var cargoKeys = pattern.Of(`^(?:test|doctest|harness|autotests|autobins)\s*=`)

// cargoTests returns the tables about tests, and the keys elsewhere that switch them off.
func cargoTests(text string) (out []string) {
	for _, l := range tables(text, func(n string) bool { return n == "lib" || n == "package" || n == "bin" }) {
		if cargoKeys.MatchString(l) {
			out = append(out, l)
		}
	}
	return append(out, tables(text, func(n string) bool {
		return n == "test" || n == "profile.test" || n == "lints" || strings.HasPrefix(n, "lints.")
	})...)
}

// jsonLines returns a value of JSON, with a line for each of its keys.
func jsonLines(text, key string) (out []string) {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &all) != nil {
		if key == "" {
			return lines(text, "//", "#") // JSON with remarks
		}
		return nil
	}
	if key != "" {
		value := all[key]
		all = nil
		if json.Unmarshal(value, &all) != nil && len(value) > 0 {
			return []string{key + ": " + string(value)}
		}
	}
	for k, v := range all {
		var any any
		_ = json.Unmarshal(v, &any)
		tidy, _ := json.Marshal(any)
		out = append(out, k+": "+string(tidy))
	}
	slices.Sort(out)
	return out
}

// blocksOf returns the lines of the blocks in braces that begin with some text.
func blocksOf(text string, begins *pattern.Pattern) (out []string) {
	for _, at := range begins.FindAllStringIndex(text, -1) {
		deep, end := 1, len(text)
		for i := at[1]; i < len(text) && end == len(text); i++ {
			switch text[i] {
			case '{':
				deep++
			case '}':
				if deep--; deep == 0 {
					end = i
				}
			}
		}
		out = append(out, lines(text[at[0]:end], "//")...)
	}
	return out
}

// surefire returns the lines of the plugins by which Maven runs tests.
func surefire(text string) (out []string) {
	for _, p := range strings.Split(text, "<plugin>")[1:] {
		p, _, _ = strings.Cut(p, "</plugin>")
		if strings.Contains(p, "surefire") || strings.Contains(p, "failsafe") {
			for _, l := range lines(p) {
				if !strings.HasPrefix(l, "<version>") {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

var pythonHook = pattern.Of(`^(?:async )?def (pytest_\w+)|^(?:collect_ignore\w*|pytest_plugins|pytestmark)\b|^@pytest\.hookimpl|^@pytest\.fixture\(.*autouse`)

// pythonHooks returns the blocks of a conftest.py that are called for every test; its other
// fixtures only serve tests that ask for them.
func pythonHooks(text string) (out []string) {
	in := false
	for _, l := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(l)
		if bare == "" || strings.HasPrefix(bare, "#") {
			continue
		}
		if l[0] != ' ' && l[0] != '\t' && bare[0] != ')' && bare[0] != ']' {
			decorated := in && len(out) > 0 && strings.HasPrefix(out[len(out)-1], "@") && (strings.HasPrefix(bare, "def ") || strings.HasPrefix(bare, "@"))
			in = decorated || pythonHook.MatchString(l)
		}
		if in || strings.Contains(bare, "os._exit") || strings.Contains(bare, "sys.exit") || strings.Contains(bare, "pytest.exit") {
			out = append(out, strings.TrimRight(l, " \t\r"))
		}
	}
	return out
}
