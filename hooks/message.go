package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Message is the message of a commit, which gets the trailer of a step that git plan next has opened. A trailer in an
// empty message would make a commit even if the person gives up in the editor. So for a message to be typed,
// prepare-commit-msg, which knows the kind of commit, only writes a note, and commit-msg adds the trailer.
type Message struct {
	Checkout *checkout.Checkout
	File     string // the path of the message, from git
	text     string // the content of File
}

// Prepare is git's prepare-commit-msg, with its arguments source and commit. Its error does not stop git.
func (m *Message) Prepare(ctx context.Context, source, of string) error {
	_ = os.Remove(m.note())
	trailer, ok, err := m.open(ctx)
	if err != nil || !ok {
		return err
	}
	// Commits that git makes from other commits are not work on the step.
	if source == "merge" || m.Checkout.Repo.Operation() != "" || len(journal.NamedSteps(m.text)) > 0 || journal.Reverts(m.text) {
		return nil
	}
	if m.amendsOther(ctx, source, of, trailer) {
		return nil
	}
	if words := m.words(); words != "" && slices.Contains([]string{"message", "squash", "commit"}, source) {
		return m.add(ctx, trailer)
	}
	return os.WriteFile(m.note(), []byte(trailer+"\n"+m.words()), 0o600)
}

// Finish is git's commit-msg, which runs after the editor.
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
	was, before, _ := strings.Cut(string(noted), "\n")
	if words := m.words(); was != trailer || words == before || words == "" || len(journal.NamedSteps(m.text)) > 0 {
		return nil // git refuses an empty message and an unchanged template
	}
	return m.add(ctx, trailer)
}

func (m *Message) note() string { return filepath.Join(m.Checkout.Repo.GitDir, "PLAN_EDITMSG") }

func (m *Message) open(ctx context.Context) (trailer string, ok bool, err error) {
	id, ok := m.Checkout.PlanID(ctx)
	if !ok || !slices.Contains(journal.MarkOpen.Plans(m.Checkout.Repo), id) {
		return "", false, nil
	}
	if err := m.Checkout.Load(ctx); err != nil {
		return "", false, err
	}
	step, ok := m.Checkout.OpenByNext()
	if !ok {
		journal.MarkOpen.Clear(m.Checkout.Repo, id)
		return "", false, nil
	}
	text, err := os.ReadFile(m.File)
	m.text = string(text)
	return fmt.Sprintf("%s: %s/%s", journal.StepTrailer, id, step), true, err
}

// amendsOther reports whether this commit amends the last one and that one is not the step's. git does not tell hooks
// about an amend with a new message, but such a commit has the author's name and time of the last one.
func (m *Message) amendsOther(ctx context.Context, source, of, trailer string) bool {
	head, err := m.Checkout.Repo.Read(ctx, "HEAD^{commit}")
	if err != nil { // the branch is unborn
		return false
	}
	amends := false
	switch source {
	case "commit":
		oid, err := m.Checkout.Repo.Resolve(ctx, of+"^{commit}")
		amends = err == nil && oid == head.OID
	case "message":
		author := fmt.Sprintf("\nauthor %s <%s> %s\n", os.Getenv("GIT_AUTHOR_NAME"), os.Getenv("GIT_AUTHOR_EMAIL"),
			strings.TrimPrefix(os.Getenv("GIT_AUTHOR_DATE"), "@"))
		amends = strings.Contains(string(head.Data), author) && !m.openedNow(ctx, os.Getenv("GIT_AUTHOR_DATE"))
	}
	return amends && !strings.Contains(string(head.Data)+"\n", "\n"+trailer+"\n")
}

// openedNow reports whether an author's date, "@<seconds> <zone>", is both the second in which a step was opened and
// the second of this commit or its message. Then a new commit may by chance have the time of the last one.
func (m *Message) openedNow(ctx context.Context, date string) bool {
	second, _, _ := strings.Cut(strings.TrimPrefix(date, "@"), " ")
	is := func(t time.Time) bool { return strconv.FormatInt(t.Unix(), 10) == second }
	opened := func(e journal.Event) bool { return e.Kind == journal.Started && is(e.Time) }
	if !slices.ContainsFunc(m.Checkout.Doc.Events, opened) {
		return false
	}
	if os.Getenv("GIT_COMMITTER_DATE") != "" {
		reported, err := m.Checkout.Repo.Output(ctx, "var", "GIT_COMMITTER_IDENT")
		return err == nil && strings.Contains(reported, "> "+second+" ")
	}
	written, err := os.Stat(m.File)
	return err == nil && is(written.ModTime())
}

// add has git insert the trailer: after existing trailers, before comments and the diff of commit --verbose.
func (m *Message) add(ctx context.Context, trailer string) error {
	file, err := filepath.Abs(m.File)
	if err != nil {
		return err
	}
	return m.Checkout.Repo.Run(ctx, git.Command{Args: []string{
		"-c", "core.commentChar=" + m.comment(), "-c", "trailer.separators=:",
		"interpret-trailers", "--in-place", "--no-divider", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add",
		"--trailer", trailer, file,
	}})
}

// cut is git's scissors line without the comment character; git removes it and all below.
const cut = " ------------------------ >8 ------------------------"

// comment returns the comment character. With "auto" git uses another one than # only for a message with a line of #.
func (m *Message) comment() string {
	text, _ := m.Checkout.Config.Get("core.commentString") // since git 2.45
	char, _ := m.Checkout.Config.Get("core.commentChar")
	if char = cmp.Or(text, char, "#"); char == "auto" {
		return "#"
	}
	return char
}

// words returns the message without comments, scissored text and sign-offs. If it is empty, git refuses the message.
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
