package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
)

// exportForms are the forms that plans are written in.
var exportForms = []gitplan.Form{gitplan.FormPlan, gitplan.FormJSON, gitplan.FormRalphex, gitplan.FormQueue}

func exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the plan in another form",
		Description: "git plan new -F reads each of them back, and makes the same plan of it. A queue is\n" +
			"a folder, and needs -o. A file that exists is not overwritten.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: string(gitplan.FormPlan), Usage: "`FORM`: " + forms(exportForms)},
			&cli.StringFlag{Name: "o", Usage: "write to `PATH`, not to standard output"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			form, err := formNamed(c, "format", exportForms)
			if err != nil {
				return err
			}
			if form == gitplan.FormQueue && c.String("o") == "" {
				return misused(c, "a queue is a folder: name it with -o")
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return export(c, co, form) })
		},
	}
}

func export(c *cli.Context, co *gitplan.Checkout, form gitplan.Form) error {
	text, err := asItStands(co)
	if err != nil {
		return err
	}
	out, err := gitplan.Export(text, form)
	if err != nil {
		return err
	}
	tellNotes(c.App.ErrWriter, out.Notes)
	switch path := c.String("o"); {
	case form == gitplan.FormQueue:
		return writeFolder(path, out.Files)
	case path != "":
		return writeNew(path, out.Files[0].Text)
	}
	_, err = c.App.Writer.Write(out.Files[0].Text)
	return err
}

// writeFolder makes a folder; what stands there already is never written to.
func writeFolder(path string, files []gitplan.File) error {
	if entries, err := os.ReadDir(path); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: %w", path, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Join(path, "tasks"), 0o777); err != nil {
		return err
	}
	for _, f := range files {
		if err := writeNew(filepath.Join(path, filepath.FromSlash(f.Name)), f.Text); err != nil {
			return err
		}
	}
	return nil
}

func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return err
}
