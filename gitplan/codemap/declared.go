package codemap

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// declarations has for each kind of source file the patterns of what it declares for others; the
// first group that matched is the name. They read a line at a time and know no comments: a map may
// name too much.
var declarations = map[string][]*pattern.Pattern{
	".go": {pattern.Of(`(?m)^func (\p{Lu}\w*)|^(?:type|var|const) (\p{Lu}\w*)`)},
	".py": {pattern.Of(`(?m)^(?:async )?(?:def|class) ([A-Za-z]\w*)`)},
	".js": {pattern.Of(`(?m)^export (?:default )?(?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|var|interface|type|enum) (\w+)|^(?:module\.)?exports\.(\w+) *=`)},
	".rs": {pattern.Of(`(?m)^ *pub (?:async |unsafe |const )*(?:fn|struct|enum|trait|type|static|mod|const) (\w+)`)},
	".java": {pattern.Of(`(?m)^ *public (?:abstract |final |static |sealed )*(?:class|interface|enum|record) (\w+)`),
		pattern.Of(`(?m)^ +public [^(=;\n]*?(\w+)\(`)},
	".kt":    {pattern.Of(`(?m)^ *(?:public |open |abstract |data |sealed |inline |suspend |override )*(?:class|interface|object|fun) (?:<[^>\n]*> )?(?:\w+\.)?(\w+)`)},
	".rb":    {pattern.Of(`(?m)^ *(?:class|module|def) (?:self\.)?([A-Za-z]\w*[?!]?)`)},
	".php":   {pattern.Of(`(?m)^ *(?:abstract |final )?(?:class|interface|trait|enum) (\w+)|^ *public (?:static )?function (\w+)`)},
	".cs":    {pattern.Of(`(?m)^ *public (?:[\w<>\[\],?.]+ )*?(?:class|interface|enum|record|struct) (\w+)|^ +public [^(=;\n]*?(\w+)\(`)},
	".h":     {pattern.Of(`(?m)^(?:\w[\w *]*[ *])?(\w+)\([^;{]*\);|^(?:typedef )?(?:struct|enum|class) (\w+)`)},
	".ex":    {pattern.Of(`(?m)^ *(?:defmodule|def|defmacro) ([\w.]+[?!]?)`)},
	".swift": {pattern.Of(`(?m)^ *(?:public|open) [^({\n]*?(?:class|struct|enum|protocol|func|var|let) (\w+)`)},
}

// sameAs names the kinds of files that are read as another kind.
var sameAs = map[string]string{".ts": ".js", ".tsx": ".js", ".jsx": ".js", ".mjs": ".js", ".cjs": ".js", ".mts": ".js", ".pyi": ".py", ".hpp": ".h", ".hh": ".h", ".kts": ".kt", ".exs": ".ex"}

var test = pattern.Of(`(?:_test|\.test|\.spec|_spec)\.\w+$|^test_|Tests?\.\w+$`)

func patterns(file string) []*pattern.Pattern {
	kind := strings.ToLower(path.Ext(file))
	if as, ok := sameAs[kind]; ok {
		kind = as
	}
	if test.MatchString(path.Base(file)) {
		return nil
	}
	return declarations[kind]
}

// declares reports whether a file is of a kind that is known, and no test.
func declares(file string) bool { return patterns(file) != nil }

// declared returns the names that a file declares for others, each once, in its order.
func declared(file, text string) (names []string) {
	const longest = 80 // bytes of a name
	seen := map[string]bool{}
	for _, p := range patterns(file) {
		for _, m := range p.FindAllStringSubmatch(text, 2000) {
			at := slices.IndexFunc(m[1:], func(s string) bool { return s != "" })
			if at < 0 || seen[m[1+at]] {
				continue
			}
			seen[m[1+at]] = true
			names = append(names, visible.OneLine(m[1+at], longest))
		}
	}
	return names
}
