package checked

import (
	"path"
	"slices"
	"strings"
)

// ofModule returns the words after python's -m, the module first; nil without -m.
func ofModule(words []string) []string {
	if len(words) < 3 || !strings.HasPrefix(path.Base(words[0]), "python") {
		return nil
	}
	for i := 1; i < len(words) && strings.HasPrefix(words[i], "-") && !strings.HasPrefix(words[i], "--"); i++ {
		switch letters, module, is := strings.Cut(words[i], "m"); {
		case is && !strings.ContainsAny(letters, "cWX") && module != "":
			return append([]string{module}, words[i+1:]...)
		case is && !strings.ContainsAny(letters, "cWX"):
			return words[i+1:]
		case strings.Contains(letters, "c"):
			return nil
		case words[i] == "-W" || words[i] == "-X":
			i++
		}
	}
	return nil
}

// runnerModules are the modules of Python that check something, in addition to those that have a
// configuration.
var runnerModules = strings.Fields("unittest doctest compileall py_compile tabnanny trace nose nose2 green trial behave robot pyflakes pycodestyle pydocstyle black isort bandit pyright build pip")

// imported are the modules of Python itself that a test runner imports before any test.
var imported = strings.Fields("abc argparse ast atexit bisect bz2 codecs collections contextlib copy copyreg dataclasses difflib dis enum fnmatch functools gettext heapq importlib inspect io ipaddress itertools json keyword linecache locale logging lzma marshal math opcode operator os pathlib pkgutil posixpath pprint random re reprlib runpy shutil signal site sitecustomize stat string struct subprocess sys sysconfig tempfile textwrap threading time token tokenize traceback types typing unittest urllib usercustomize warnings weakref zipfile zlib")

// module follows what python's -m runs: a module of the folder takes precedence over any other of
// its name.
func (f *follower) module(words []string, dir string, deep int) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(path.Base(w), "python") })
	if i < 0 {
		return
	}
	rest := ofModule(words[i:])
	if len(rest) == 0 {
		return
	}
	name := rest[0]
	f.ends()
	at := path.Join(dir, strings.ReplaceAll(name, ".", "/"))
	for _, file := range []string{at + ".py", at + "/__main__.py"} {
		f.script(strings.TrimPrefix(file, dir+"/"), dir, deep, false)
	}
	top, _, _ := strings.Cut(name, ".")
	f.shadows(dir)
	if sources[top] != nil || slices.Contains(runnerModules, top) {
		f.shadow(top, dir)
	}
}

// shadows notes the modules in a folder that replace Python's own.
func (f *follower) shadows(dir string) {
	if key := "shadows " + dir; f.known[key] == nil {
		f.known[key] = true
		for _, name := range imported {
			f.shadow(name, dir)
		}
	}
}

// shadow notes whether a module was added or removed; its text does not matter.
func (f *follower) shadow(name, dir string) {
	changed := once(f, "changed", func() map[string]bool { return set(f.changed) })
	for _, file := range []string{name + ".py", name + "/__init__.py", name + "/__main__.py"} {
		if file = path.Join(dir, file); changed[file] {
			p := part{file: file, what: "a file in the place of the module " + name, kind: whole}
			if _, ok := f.tree(file); ok {
				p.lines = []string{"it is there"}
			}
			f.note("module "+file, p)
		}
	}
}
