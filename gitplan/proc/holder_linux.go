package proc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// LockHolder names a living process that may be holding a lock file of git: one
// that has it open, or a git at work in one of these folders (anywhere, if there are none).
// Git closes a lock file long before it gives it up, for instance while the editor of a commit
// is open; then only the folder it works in gives it away. who is "" if nobody holds it;
// known is false if processes cannot be seen.
func LockHolder(lock string, folders ...string) (who string, known bool) {
	pids := processes()
	if !slices.Contains(pids, os.Getpid()) {
		return "", false // we see no processes here, not even our own
	}
	for _, pid := range pids {
		if pid == os.Getpid() {
			continue
		}
		name, args := named(pid)
		if name != "" && !onlyReads(args) && worksIn(pid, args, folders) || hasOpen(pid, lock) {
			return fmt.Sprintf("%s (pid %d)", strings.TrimSpace(cmp.Or(name, "a program")+" "+subcommand(args)), pid), true
		}
	}
	return "", true
}

// GitIn reports whether a process is a git, or may be one, that works in one of these folders
// or was given one; in any folder, if there are none.
func GitIn(pid int, folders ...string) bool {
	comm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil || !strings.HasPrefix(string(comm), "git") {
		return false
	}
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return worksIn(pid, strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"), folders)
}

// named returns the name of a process that is a git, and its arguments; "" for any other.
func named(pid int) (name string, args []string) {
	comm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	name = strings.TrimSpace(string(comm))
	if err != nil || name != "git" && !strings.HasPrefix(name, "git-") || strings.HasPrefix(name, "git-plan") {
		return "", nil
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err == nil && len(line) == 0 {
		return "", nil // it is dead, and its parent has not asked yet how it ended
	}
	return name, strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

// subcommand returns the first argument that is not an option of git itself.
func subcommand(args []string) string {
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// onlyReads reports whether a git takes no lock however long it lives: one that a pager
// or a program reads from, a daemon, or the git that started this program.
func onlyReads(args []string) bool {
	return slices.Contains([]string{"plan", "cat-file", "log", "show", "blame", "grep", "help", "rev-list", "rev-parse", "diff-tree", "ls-tree",
		"ls-files", "for-each-ref", "merge-base", "check-attr", "fsmonitor--daemon", "credential-cache--daemon", "daemon"}, subcommand(args))
}

// relative finds a repository that a git was given as a relative path: from the folder where it
// was started, in which it still works unless its work tree is elsewhere.
var relative = pattern.Of(`\x00(?:--git-dir(?:=|\x00)|GIT_DIR=|GIT_COMMON_DIR=)[^/\x00]`)

// worksIn reports whether a process is in one of these folders, or was given one. It
// assumes so of a process that we may not look into, or whose repository is not known.
func worksIn(pid int, args, folders []string) bool {
	if len(folders) == 0 {
		return true
	}
	dir := "/proc/" + strconv.Itoa(pid)
	at, err := os.Readlink(dir + "/cwd")
	if errors.Is(err, fs.ErrPermission) {
		return true
	}
	env, _ := os.ReadFile(dir + "/environ")
	reported := slices.Concat([]byte("\x00"+strings.Join(args, "\x00")+"\x00"), env)
	for _, m := range relative.FindAllIndex(reported, -1) {
		path, _, _ := bytes.Cut(reported[m[1]-1:], []byte{0})
		if leadsTo(dir+"/cwd/"+string(path), filepath.Join(at, string(path)), folders) {
			return true
		}
	}
	here, _ := os.Stat(dir + "/cwd") // which may have another name for us, if it sees other mounts
	return slices.ContainsFunc(folders, func(folder string) bool {
		info, err := os.Stat(folder)
		return err == nil && here != nil && os.SameFile(info, here) ||
			at == folder || strings.HasPrefix(at, folder+string(filepath.Separator)) ||
			bytes.Contains(reported, []byte("="+folder+"\x00")) || bytes.Contains(reported, []byte("\x00"+folder+"\x00"))
	})
}

// leadsTo reports whether a path is one of these folders or lies in one: seen is the path as the
// process has it, called the name it has for us. If nothing is there, it may be any folder.
func leadsTo(seen, called string, folders []string) bool {
	info, err := os.Stat(seen)
	return err != nil || slices.ContainsFunc(folders, func(folder string) bool {
		own, err := os.Stat(folder)
		return err == nil && os.SameFile(own, info) || disk.Within(folder, called)
	})
}

// hasOpen reports whether a process has a file open.
func hasOpen(pid int, path string) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	open, err := os.ReadDir(dir)
	if err != nil {
		return false // another user's, or gone
	}
	return slices.ContainsFunc(open, func(fd fs.DirEntry) bool {
		at, err := os.Readlink(filepath.Join(dir, fd.Name()))
		return err == nil && at == path
	})
}
