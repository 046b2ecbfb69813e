package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/reviewers"
)

// formPullRequest is the text of a pull request, of which no plan can be made again.
const formPullRequest form.Form = "pr"

// exportForms are the forms that plans are written in.
var exportForms = []form.Form{form.Own, form.JSON, form.Ralphex, form.Queue, formPullRequest}

func exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the plan in another format, or as a pull request",
		Description: "pr is the text of a pull request: what was done, checked, found, dismissed and assumed.\n" +
			"git plan new -F reads each of the other formats back into the same plan. A queue is a\n" +
			"folder, and needs -o. An existing file is not overwritten.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: string(form.Own), Usage: "`FORMAT`: " + forms(exportForms)},
			&cli.StringFlag{Name: "o", Usage: "write to `PATH`, not to standard output"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			kind, err := formNamed(c, "format", exportForms)
			if err != nil {
				return err
			}
			if kind == form.Queue && c.String("o") == "" {
				return misused(c, "a queue is a folder: name it with -o")
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return export(c, co, kind) })
		},
	}
}

func export(c *cli.Context, co *checkout.Checkout, kind form.Form) error {
	files, err := exported(c, co, kind)
	if err != nil {
		return err
	}
	switch path := c.String("o"); {
	case kind == form.Queue:
		return writeFolder(path, files)
	case path != "":
		return writeNew(path, files[0].Text)
	}
	_, err = c.App.Writer.Write(files[0].Text)
	return err
}

func exported(c *cli.Context, co *checkout.Checkout, kind form.Form) ([]form.File, error) {
	if kind == formPullRequest {
		text, err := reviewers.PullRequest(c.Context, co)
		return []form.File{{Text: text}}, err
	}
	out, err := form.Export(share.AsItStands(co), kind)
	if err != nil {
		return nil, err
	}
	printNotes(c.App.ErrWriter, out.Notes)
	return out.Files, nil
}

// writeFolder makes a folder; if it exists nothing is written there.
func writeFolder(path string, files []form.File) error {
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
