package git

import (
	"bytes"
	"io"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// encoder encodes objects in this process through go-git.
type encoder struct {
	store *filesystem.Storage
}

// encode stores an object in the repository with this common folder, and returns its name.
func (e *encoder) encode(commonDir, kind string, data []byte) (string, error) {
	if e.store == nil {
		e.store = filesystem.NewStorage(osfs.New(commonDir), cache.NewObjectLRU(cache.KiByte))
	}
	t, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return "", err
	}
	o := e.store.NewEncodedObject()
	o.SetType(t)
	o.SetSize(int64(len(data)))
	ow, err := o.Writer()
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(ow, bytes.NewReader(data)); err != nil {
		return "", err
	}
	if err := ow.Close(); err != nil {
		return "", err
	}
	hash, err := e.store.SetEncodedObject(o)
	return hash.String(), err
}
