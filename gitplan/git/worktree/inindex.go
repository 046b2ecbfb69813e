package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/git-plan/git-plan/gitplan/git"
)

// inIndex is what an index holds in addition to files.
type inIndex struct {
	submodules []string // that git looks at
	links      bool     // it has submodules, whether git looks at them or not
	unmerged   bool
}

// staged reads an index, by default that of the work tree: without a process, if it has a form
// that this program can read.
func staged(ctx context.Context, r *git.Repo, env []string) (in inIndex, err error) {
	if len(env) == 0 {
		data, err := os.ReadFile(r.IndexFile())
		if errors.Is(err, os.ErrNotExist) {
			return in, nil
		}
		if err == nil && eachEntry(data, len(r.Zero())/2, in.add) {
			return in, nil
		}
	}
	var list bytes.Buffer
	if err := r.Run(ctx, git.Command{Args: []string{"ls-files", "--stage", "-z"}, Env: env, Stdout: &list}); err != nil {
		return in, err
	}
	in = inIndex{}
	for entry := range bytes.SplitSeq(list.Bytes(), []byte{0}) {
		meta, path, ok := bytes.Cut(entry, []byte{'\t'})
		if !ok {
			continue
		}
		in.unmerged = in.unmerged || !bytes.HasSuffix(meta, []byte(" 0"))
		if bytes.HasPrefix(meta, []byte("160000 ")) {
			in.submodules, in.links = append(in.submodules, string(path)), true
		}
	}
	return in, nil
}

func (in *inIndex) add(e indexEntry) {
	in.unmerged = in.unmerged || e.flags&stages != 0
	if e.mode&fileKind != gitlink {
		return
	}
	if in.links = true; e.more&skipped == 0 {
		in.submodules = append(in.submodules, e.name)
	}
}
