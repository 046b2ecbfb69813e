package checked

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// ends notes code in what changed that ends a run of tests early: usually it exits with 0, and so
// all tests pass.
func (f *follower) ends() {
	if f.known["ends"] != nil {
		return
	}
	f.known["ends"] = true
	for _, file := range f.changed {
		text, ok := f.tree(file)
		p := part{file: file, what: "code that ends all tests", kind: whole}
		if ok && len(text) < 1<<20 {
			p.lines = endsTests(file, string(text))
		}
		f.note("ends "+file, p)
	}
}

// exits matches what ends a program that merely loads a file of tests: at the left edge, or in a
// way that nobody can catch.
var exits = map[string]*pattern.Pattern{
	".py":  pattern.Of(`^(?:raise SystemExit|sys\.exit|exit|quit)\b|\b_exit\b|\bos\.exec[lv]\w*\(`),
	".js":  pattern.Of(`^(?:await )?process\.(?:exit|reallyExit|kill|abort)\(|\bprocess\.reallyExit\b`),
	".rb":  pattern.Of(`^(?:exit!?|abort|exec|Process\.exit!?)(?:[ (]|$)|\bexit!`),
	".php": pattern.Of(`^(?:exit|die)\b`),
	".rs":  pattern.Of(`\bprocess::exit\(\s*0`),
}

func endsTests(file, text string) (out []string) {
	base, ext := path.Base(file), path.Ext(file)
	if ext == ".go" {
		return goEnds(base, text)
	}
	if slices.Contains([]string{".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts"}, ext) {
		ext = ".js"
	}
	tests := ForChecks(file) || base == "sitecustomize.py" || base == "usercustomize.py"
	if exits[ext] == nil || !tests || base == "conftest.py" || // that has hooks of its own
		strings.HasPrefix(text, "#!") {
		return nil
	}
	for _, l := range strings.Split(text, "\n") {
		if exits[ext].MatchString(l) || base == "__init__.py" && strings.HasPrefix(l, "def load_tests") {
			out = append(out, strings.TrimRight(l, " \t\r"))
		}
	}
	return out
}

// goEnds finds the places in a Go file at which a test binary ends early: an exit while
// the package is initialized, a TestMain that runs no tests, and what chooses tests.
// An exit with 0 in a test itself fails that test.
func goEnds(base, text string) (out []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), base, text, parser.SkipObjectResolution)
	if err != nil {
		return nil // it is not built
	}
	tests := strings.HasSuffix(base, "_test.go")
	in := goFile{tests: tests, funcs: map[string]*ast.BlockStmt{}}
	for _, d := range parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
			in.funcs[fn.Name.Name] = fn.Body
		}
	}
	for _, d := range parsed.Decls {
		fn, isFunc := d.(*ast.FuncDecl)
		switch {
		case !isFunc:
			out = append(out, in.atStart(d)...)
		case fn.Body == nil:
		case fn.Recv == nil && fn.Name.Name == "init":
			out = append(out, in.atStart(fn.Body)...)
		case tests && fn.Recv == nil && fn.Name.Name == "TestMain":
			out = append(out, in.testMain(fn)...)
		case tests:
			out = append(out, slices.DeleteFunc(goExits(fn.Body), func(s string) bool { return s == "os.Exit(0)" })...)
		}
	}
	return out
}

// testMain returns what is wrong with a TestMain: nothing runs the tests, or it exits before they
// run, whatever is asked for.
func (e goFile) testMain(fn *ast.FuncDecl) (out []string) {
	m := ""
	if list := fn.Type.Params.List; len(list) == 1 && len(list[0].Names) == 1 {
		m = list[0].Names[0].Name
	}
	runs := false
	for _, s := range fn.Body.List {
		runs = runs || calledWith(s, m)
		if _, conditional := s.(*ast.IfStmt); conditional {
			continue // a helper that tests start comes after one
		}
		for _, exit := range e.atStart(s) {
			if !runs || !strings.HasSuffix(exit, "()") { // what is computed comes of the tests
				out = append(out, exit)
			}
		}
	}
	if !runs {
		out = append(out, "TestMain runs no tests")
	}
	return out
}

// calledWith reports whether code calls a method of a variable, or passes it on.
func calledWith(n ast.Node, variable string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			ast.Inspect(call, func(n ast.Node) bool {
				name, is := n.(*ast.Ident)
				found = found || is && name.Name == variable
				return !found
			})
		}
		return !found
	})
	return found
}

// atStart returns how code, and the functions of the file that it calls, end the program while a
// package is initialized. Functions that are kept for later, such as the commands of a program,
// count only in a file of tests.
func (e goFile) atStart(n ast.Node) (out []string) {
	called := map[*ast.FuncLit]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return e.tests || called[n]
		case *ast.CallExpr:
			if l, ok := n.Fun.(*ast.FuncLit); ok {
				called[l] = true
			}
			out = append(out, exitOf(n, true)...)
			if body := e.funcs[goName(n.Fun)]; body != nil {
				delete(e.funcs, goName(n.Fun)) // once is enough
				out = append(out, goExits(body)...)
			}
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && goName(n.Lhs[0]) == "os.Args" {
				out = append(out, "os.Args are set")
			}
		}
		return true
	})
	return out
}

// goFile is a Go file: whether it holds tests, and its functions.
type goFile struct {
	tests bool
	funcs map[string]*ast.BlockStmt
}

// goExits returns the calls in code that end the program with 0, or choose tests.
func goExits(n ast.Node) (out []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			out = append(out, exitOf(call, false)...)
		}
		return true
	})
	return out
}

// exitOf finds a call that ends the program with 0, or with a computed code if any counts, or
// that chooses tests.
func exitOf(call *ast.CallExpr, any bool) []string {
	name, arg := goName(call.Fun), ""
	if len(call.Args) > 0 {
		if l, ok := call.Args[0].(*ast.BasicLit); ok {
			arg = l.Value
		}
	}
	switch name {
	case "os.Exit", "syscall.Exit", "unix.Exit":
		if arg != "0" && (!any || arg != "") {
			return nil
		}
	case "flag.Set":
		if !strings.Contains(arg, "test.") {
			return nil
		}
	case "syscall.Exec", "unix.Exec":
		if !any {
			return nil
		}
	default:
		return nil
	}
	return []string{name + "(" + arg + ")"}
}

// goName returns the name of something of a package.
func goName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}
