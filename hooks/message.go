package hooks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Message is the message of a commit under way, made while a step may be open
// by git plan next. Such a commit is given the step's trailer.
//
// Two hooks share the work. prepare-commit-msg knows what kind of commit it is,
// and runs for git commit --no-verify too; but a trailer that it put into an
// empty message would make a commit of one that the person gives up by leaving
// the editor. So what is to be typed is noted, and given its trailer by
// commit-msg, when something was typed.
type Message struct {
	*gitplan.Checkout
	File string // with the message, as git names it
	text string
}

// Prepare is git's prepare-commit-msg: source is what the message was made from
// (empty: nothing; message, template, merge, squash, commit), of the commit that
// it was taken from with source commit. Nothing that it says stops git.
func (m *Message) Prepare(ctx context.Context, source, of string) error {
	_ = os.Remove(m.note())
	trailer, ok, err := m.open(ctx)
	if err != nil || !ok {
		return err
	}
	// A commit that git makes of others' is nobody's work on the step.
	if source == "merge" || m.Repo.Operation() != "" || len(journal.NamedPlans(m.text)) > 0 || journal.Reverts(m.text) {
		return nil
	}
	if foreign, err := m.amendsOther(ctx, source, of, trailer); err != nil || foreign {
		return err
	}
	if words := m.words(); words != "" && slices.Contains([]string{"message", "squash", "commit"}, source) {
		return m.add(ctx, trailer)
	}
	return os.WriteFile(m.note(), []byte(trailer+"\n"+m.digest()), 0o600)
}

// Finish is git's commit-msg: it comes after the editor.
func (m *Message) Finish(ctx context.Context) error {
	noted, err := os.ReadFile(m.note())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_ = os.Remove(m.note())
	trailer, ok, openErr := m.open(ctx)
	if err := errors.Join(err, openErr); err != nil || !ok {
		return err
	}
	was, digest, _ := strings.Cut(string(noted), "\n")
	if was != trailer || digest == m.digest() || m.words() == "" || len(journal.NamedPlans(m.text)) > 0 {
		return nil // given up, or a template that was left as it is: git says so
	}
	return m.add(ctx, trailer)
}

// note is kept between the two hooks, in this work tree's own git folder.
func (m *Message) note() string { return filepath.Join(m.Repo.GitDir, "PLAN_EDITMSG") }

// open reads the message, and the trailer of the step that is open on this
// branch; a mark that a crash left behind is taken away.
func (m *Message) open(ctx context.Context) (trailer string, ok bool, err error) {
	opened := journal.MarkOpen.Plans(m.Repo)
	if len(opened) == 0 {
		return "", false, nil
	}
	id, ok := m.PlanID(ctx)
	if !ok || !slices.Contains(opened, id) {
		return "", false, nil
	}
	if err := m.Load(ctx); err != nil {
		return "", false, err
	}
	step, ok := m.OpenByNext()
	if !ok {
		journal.MarkOpen.Clear(m.Repo, id)
		return "", false, nil
	}
	text, err := os.ReadFile(m.File)
	m.text = string(text)
	return fmt.Sprintf("%s: %s/%s", journal.StepTrailer, id, step), true, err
}

// amendsOther reports that the last commit is amended, and is not one of the
// step's. git tells no hook so: with a message of its own, an amending commit is
// known by its author's name and time, which git hands on and which stay.
func (m *Message) amendsOther(ctx context.Context, source, of, trailer string) (bool, error) {
	head, err := m.Repo.Read(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	amends := false
	switch source {
	case "commit":
		oid, err := m.Repo.Resolve(ctx, of+"^{commit}")
		amends = err == nil && oid == head.OID
	case "message":
		author := fmt.Sprintf("\nauthor %s <%s> %s\n", os.Getenv("GIT_AUTHOR_NAME"), os.Getenv("GIT_AUTHOR_EMAIL"),
			strings.TrimPrefix(os.Getenv("GIT_AUTHOR_DATE"), "@"))
		amends = strings.Contains(string(head.Data), author) && !m.openedNow(ctx, os.Getenv("GIT_AUTHOR_DATE"))
	}
	return amends && !strings.Contains(string(head.Data)+"\n", "\n"+trailer+"\n"), nil
}

// openedNow reports that an author's date, "@<seconds> <zone>", is this second,
// and that the step was opened in it: a new commit may then have the time of the
// last one.
func (m *Message) openedNow(ctx context.Context, date string) bool {
	at, _, _ := strings.Cut(strings.TrimPrefix(date, "@"), " ")
	for _, e := range slices.Backward(m.Doc.Events) {
		if e.Kind == journal.Started {
			if strconv.FormatInt(e.Time.Unix(), 10) != at {
				return false
			}
			now, err := m.Repo.Output(ctx, "var", "GIT_COMMITTER_IDENT")
			return err == nil && strings.Contains(now, "> "+at+" ")
		}
	}
	return false
}

// add has git put the trailer in: behind those that are there, in front of
// comments and of what commit --verbose shows.
func (m *Message) add(ctx context.Context, trailer string) error {
	file, err := filepath.Abs(m.File)
	if err != nil {
		return err
	}
	return m.Repo.Run(ctx, git.Command{Args: []string{
		"-c", "core.commentChar=" + m.comment(), "-c", "trailer.separators=:",
		"interpret-trailers", "--in-place", "--no-divider", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add",
		"--trailer", trailer, file,
	}})
}

// cut is what stands, behind a comment character, above what git takes off the
// end of a message again.
const cut = " ------------------------ >8 ------------------------"

// comment is the comment character of the message. With core.commentChar=auto
// git chooses one for each message: it then begins the lines at its end.
func (m *Message) comment() string {
	char, _ := m.Config.Get("core.commentString") // git 2.45, which takes either name
	if char == "" {
		char, _ = m.Config.Get("core.commentChar")
	}
	if char == "" {
		return "#"
	}
	if char != "auto" {
		return char
	}
	last := "#"
	for line := range strings.Lines(m.text) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) == len(cut)+1 && strings.HasSuffix(line, cut) {
			return line[:1]
		}
		if line != "" {
			last = line[:1]
		}
	}
	if strings.ContainsAny(last, "#;@!$%^&|:") { // those that git chooses from
		return last
	}
	return "#"
}

// words is what a person has said: the message without comments, without what
// is cut off, and without a sign-off, as git looks whether it is empty.
func (m *Message) words() string {
	comment := m.comment()
	var out []string
	for line := range strings.Lines(m.text) {
		line = strings.TrimSpace(line)
		if line == comment+cut {
			break
		}
		if line != "" && !strings.HasPrefix(line, comment) && !strings.HasPrefix(line, "Signed-off-by: ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func (m *Message) digest() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(m.words()))) }
