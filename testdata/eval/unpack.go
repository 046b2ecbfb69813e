package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxUnpacked bounds what an archive may hold, in bytes.
const maxUnpacked = 64 << 20

// unpack writes the files of an archive of npm's to a folder, without their first folder. Links
// and whatever else is in it are left out; what would lie outside is an error.
func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxUnpacked)
	for t := tar.NewReader(zipped); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		_, name, _ := strings.Cut(filepath.ToSlash(h.Name), "/")
		if h.Typeflag != tar.TypeReg || name == "" {
			continue
		}
		if left -= h.Size; left < 0 || !filepath.IsLocal(name) {
			return fmt.Errorf("%s holds more than %d bytes, or a file outside of it: %q", archive, int64(maxUnpacked), h.Name)
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return err
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
}
