package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReceiveOverSSH pushes in all shapes to a bare repository behind a real sshd on 127.0.0.1, whose
// pre-receive hook is `git plan hooks receive`, from a client that does all it can to get around
// it. Whatever brings a secret or a conflict marker is refused with nothing of it kept; all else is taken.
// `make receive` runs it.
func TestReceiveOverSSH(t *testing.T) {
	sshd := os.Getenv("RECEIVE")
	if sshd == "" {
		t.Skip("needs a real sshd: make receive")
	}
	for hook, ways := range map[string][]string{"pre-receive": {"plain", "--no-verify", "switched off"}, "update": {"--no-verify"}} {
		t.Run(hook, func(t *testing.T) {
			c := receiver(t, sshd, hook)
			for _, how := range ways {
				for _, what := range []string{"good", "secret", "taken back", "conflict"} {
					for _, shape := range shapes {
						c.push(t, strings.Join([]string{what, shape.name, how}, ", "), what, shape, how)
					}
				}
			}
			t.Logf("%d pushes", c.n)
		})
	}
}

// Over ssh, too, a repository that wants a verdict takes what a review has passed if a key that it trusts has
// signed that, and nothing else; a deletion alone needs none.
func TestReceiveOverSSHASignedVerdict(t *testing.T) {
	sshd := os.Getenv("RECEIVE")
	if sshd == "" {
		t.Skip("needs a real sshd: make receive")
	}
	c := receiver(t, sshd, "pre-receive")
	dir := filepath.Dir(c.dir)
	allowed := filepath.Join(dir, "allowed")
	for _, name := range []string{"mine", "stranger"} {
		c.run(dir, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name)
	}
	public, _ := os.ReadFile(filepath.Join(dir, "mine.pub"))
	write(t, allowed, "someone@example.com "+string(public))
	c.run(c.remote, "git", "config", "gpg.ssh.allowedSignersFile", allowed)
	c.run(c.remote, "git", "config", "plan.prePush", "block")
	for _, kv := range [][2]string{{"gpg.format", "ssh"}, {"planReviewer.linter.command", "true"}, {"plan.reviewers", "linter"}} {
		c.git("config", kv[0], kv[1])
	}
	refused := func(says string, args ...string) {
		t.Helper()
		if out, err := c.try(c.dir, "git", args...); err == nil || !strings.Contains(out, says) {
			t.Errorf("%q: %v, and it does not say %q:\n%s", args, err, says, out)
		}
	}
	c.git("switch", "-q", "-c", "work")
	write(t, filepath.Join(c.dir, "a.txt"), "fine\n")
	c.git("add", ".")
	c.git("commit", "-q", "-m", "fine")
	refused("no signed verdict", "push", "origin", "work")
	c.git("plan", "review", "--no-fix")
	refused("no signed verdict", "push", "--no-verify", "origin", "work")
	c.git("config", "user.signingKey", filepath.Join(dir, "stranger"))
	refused("git does not find its signature good", "plan", "push", "--verdict")
	c.git("config", "user.signingKey", filepath.Join(dir, "mine"))
	c.git("plan", "push", "--verdict")
	c.git("push", "-q", "origin", "work")
	c.git("commit", "-q", "--allow-empty", "--amend", "-m", "the same files")
	c.git("push", "-q", "-f", "origin", "work")
	write(t, filepath.Join(c.dir, "a.txt"), "worse\n")
	c.git("commit", "-q", "-a", "-m", "worse")
	refused("no signed verdict", "push", "--no-verify", "origin", "work")
	c.git("push", "-q", "origin", ":work")
}

// shape is a form of git push. make returns its arguments behind the remote, for the commit at HEAD
// and a name that no other push has.
type shape struct {
	name string
	make func(c *pusher, name string) []string
}

var shapes = []shape{
	{"a branch", func(_ *pusher, n string) []string { return []string{"HEAD:refs/heads/" + n} }},
	{"a branch forced", func(c *pusher, n string) []string {
		c.git("push", "-q", "--no-verify", "origin", "main~1:refs/heads/"+n)
		c.git("push", "-q", "--no-verify", "-f", "origin", "other:refs/heads/"+n)
		return []string{"-f", "HEAD:refs/heads/" + n}
	}},
	{"a tag", func(_ *pusher, n string) []string { return []string{"HEAD:refs/tags/" + n} }},
	{"a tag with a message", func(c *pusher, n string) []string {
		c.git("tag", "-a", "-m", n, n)
		return []string{"refs/tags/" + n}
	}},
	{"a tag of a tag", func(c *pusher, n string) []string {
		c.git("tag", "-a", "-m", n, n)
		c.git("tag", "-a", "-m", n, n+"-outer", n)
		return []string{"refs/tags/" + n + "-outer"}
	}},
	{"a tag of a tree", func(_ *pusher, n string) []string { return []string{"HEAD^{tree}:refs/tags/" + n} }},
	{"for review", func(_ *pusher, _ string) []string { return []string{"HEAD:refs/for/main"} }},
	{"notes", func(_ *pusher, n string) []string { return []string{"HEAD:refs/notes/" + n} }},
	{"a ref of its own", func(_ *pusher, n string) []string { return []string{"HEAD:refs/mine/" + n} }},
	{"several", func(_ *pusher, n string) []string {
		return []string{"other:refs/heads/" + n + "-a", "HEAD:refs/heads/" + n}
	}},
	{"several or none", func(_ *pusher, n string) []string {
		return []string{"--atomic", "HEAD:refs/heads/" + n, "other:refs/heads/" + n + "-a"}
	}},
	{"with a deletion", func(c *pusher, n string) []string {
		c.git("push", "-q", "--no-verify", "origin", "other:refs/heads/"+n+"-old")
		return []string{":refs/heads/" + n + "-old", "HEAD:refs/heads/" + n}
	}},
	{"a deletion alone", func(c *pusher, n string) []string {
		c.git("push", "-q", "--no-verify", "origin", "other:refs/heads/"+n+"-old")
		return []string{":refs/heads/" + n + "-old"}
	}},
	{"a merge", func(c *pusher, n string) []string {
		c.git("checkout", "-q", "-b", n+"-side")
		c.git("checkout", "-q", "--detach", "other")
		c.git("merge", "-q", "--no-edit", n+"-side")
		return []string{"HEAD:refs/heads/" + n}
	}},
	{"a history of its own", func(c *pusher, n string) []string {
		return []string{c.git("commit-tree", "-m", n, "HEAD^{tree}") + ":refs/heads/" + n}
	}},
	{"with a replacement", func(c *pusher, n string) []string { // which shows another commit in its place
		head := c.git("rev-parse", "HEAD")
		c.git("replace", head, "main")
		return []string{"HEAD:refs/heads/" + n, "refs/replace/" + head}
	}},
	{"a replacement alone", func(c *pusher, _ string) []string {
		main := c.git("rev-parse", "main")
		return []string{"HEAD:refs/replace/" + main}
	}},
	{"from a shallow clone", func(c *pusher, n string) []string {
		c.git("fetch", "-q", "--depth", "1", "origin", "main")
		return []string{"HEAD:refs/heads/" + n}
	}},
}

// pusher is a clone of the repository behind sshd.
type pusher struct {
	t           *testing.T
	dir, remote string // the clone, and the bare repository
	hook        string // by which that judges
	env         []string
	n           int
}

func receiver(t *testing.T, sshd, hook string) *pusher {
	t.Helper()
	program, dir := built(t), t.TempDir()
	c := &pusher{t: t, dir: filepath.Join(dir, "clone"), remote: filepath.Join(dir, "remote.git"), hook: hook}
	home := filepath.Join(dir, "home")
	key, config := filepath.Join(dir, "key"), filepath.Join(dir, "sshd_config")
	write := func(path, text string, mode os.FileMode) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".gitconfig"), "[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n", 0o600)
	c.env = []string{"PATH=" + filepath.Dir(program) + ":/usr/bin:/bin", "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_SSH_COMMAND=ssh -F none -i " + key + " -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ControlMaster=auto -o ControlPersist=yes -o ControlPath=" + filepath.Join(dir, "c")}
	for _, file := range []string{key, filepath.Join(dir, "host")} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	public, _ := os.ReadFile(key + ".pub")
	serve := filepath.Join(dir, "serve") // sshd clears the environment
	write(serve, "#!/bin/sh\nexport "+strings.Join(c.env[:3], " ")+"\nexec git-shell -c \"$SSH_ORIGINAL_COMMAND\"\n", 0o700)
	write(filepath.Join(dir, "authorized"), "restrict,command=\""+serve+"\" "+string(public), 0o600)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	write(config, fmt.Sprintf("ListenAddress 127.0.0.1\nPort %d\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nPasswordAuthentication no\nUsePAM no\nPermitRootLogin yes\nMaxSessions 100\nPidFile none\n",
		port, filepath.Join(dir, "host"), filepath.Join(dir, "authorized")), 0o600)
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // where a root's sshd has its empty folder
	}
	daemon := exec.Command(sshd, "-D", "-e", "-f", config)
	var said bytes.Buffer
	daemon.Stderr = &said
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		exit := exec.Command("ssh", "-F", "none", "-O", "exit", "-o", "ControlPath="+filepath.Join(dir, "c"), "127.0.0.1")
		_ = exit.Run()
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	for range 200 {
		if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			_ = conn.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.run(dir, "git", "init", "-q", "--bare", c.remote)
	c.run(dir, "git", "init", "-q", c.dir)
	for _, line := range []string{"commit -q --allow-empty -m zero", "commit -q --allow-empty -m one", "branch other", "commit -q --allow-empty -m two",
		fmt.Sprintf("remote add origin ssh://%s@127.0.0.1:%d%s", user(), port, c.remote)} {
		c.git(strings.Fields(line)...)
	}
	if out, err := c.try(c.dir, "git", "push", "-q", "origin", "main"); err != nil {
		t.Fatalf("%s\n%s", out, said.String())
	}
	write(filepath.Join(c.remote, "hooks", hook), "#!/bin/sh\nexec git plan hooks receive \"$@\"\n", 0o700)
	return c
}

func user() string {
	out, _ := exec.Command("id", "-un").Output()
	return strings.TrimSpace(string(out))
}

func (c *pusher) try(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, c.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (c *pusher) run(dir, name string, args ...string) string {
	c.t.Helper()
	out, err := c.try(dir, name, args...)
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

func (c *pusher) git(args ...string) string {
	c.t.Helper()
	return c.run(c.dir, "git", args...)
}

// commit makes commits on main, and returns the object that must not come to the other side; "" for
// good ones.
func (c *pusher) commit(what string) string {
	file := filepath.Join(c.dir, "file.txt")
	text := map[string]string{
		"good":     "fine\n",
		"conflict": "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
	}[what]
	if text == "" {
		text = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA" + strings.Repeat("q8Zr1", 12) + "\n-----END RSA " + "PRIVATE KEY-----\n"
	}
	text += fmt.Sprint(c.n, "\n")
	c.git("checkout", "-q", "-f", "--detach", "main")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.git("add", ".")
	c.git("commit", "-q", "-m", what)
	bad := c.git("rev-parse", "HEAD:file.txt")
	switch what {
	case "good":
		return ""
	case "taken back":
		c.git("rm", "-q", "file.txt")
		c.git("commit", "-q", "-m", "taken back")
	}
	return bad
}

// push makes one push, and holds it to what must become of it.
func (c *pusher) push(t *testing.T, name, what string, s shape, how string) {
	c.n++
	bad := c.commit(what)
	args := s.make(c, fmt.Sprint("p", c.n))
	if how == "--no-verify" {
		args = append([]string{how}, args...)
	}
	refs := func() string { return c.run(c.remote, "git", "for-each-ref", "--format=%(refname) %(objectname)") }
	before, env := refs(), c.env
	if how == "switched off" {
		c.env = append(env, "GIT_PLAN_HOOKS=0")
	}
	out, err := c.try(c.dir, "git", append([]string{"push", "origin"}, args...)...)
	c.env = env
	brings := bad != "" && s.name != "a deletion alone" && (what != "taken back" || s.name != "a tag of a tree" && s.name != "a history of its own")
	kept := refs() != before
	if c.hook == "update" { // which judges each ref by itself, when git has the objects already
		kept = bad != "" && strings.Contains(c.run(c.remote, "git", "rev-list", "--objects", "--all"), bad)
	}
	switch {
	case brings && (err == nil || kept):
		t.Errorf("%s: was taken\n%s", name, out)
	case !brings && err != nil:
		t.Errorf("%s: was refused\n%s", name, out)
	}
	if _, err := c.try(c.remote, "git", "cat-file", "-e", bad); bad != "" && err == nil && c.hook != "update" {
		t.Errorf("%s: what it brought is there", name)
	}
	if _, err := os.Stat(filepath.Join(c.dir, ".git", "shallow")); err == nil {
		c.git("fetch", "-q", "--unshallow", "origin")
	}
	for _, ref := range strings.Fields(c.git("for-each-ref", "--format=%(refname)", "refs/replace")) {
		c.git("update-ref", "-d", ref)
	}
	for _, ref := range strings.Fields(c.run(c.remote, "git", "for-each-ref", "--format=%(refname)", "refs/replace", "refs/for")) {
		c.run(c.remote, "git", "update-ref", "-d", ref)
	}
}
