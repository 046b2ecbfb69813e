package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemasOf compiles testdata/schemas. Readers ignore unknown fields, so the schemas allow more fields than
// they name; here every field must be named, except in the review's ledger, which is still growing.
func schemasOf(dir string) (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	ids := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "sarif") {
			continue // the standard's own, for package reviewers
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, errors.Join(errors.New(path), err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if name != "review" {
			closed(doc)
		}
		ids[name] = doc.(map[string]any)["$id"].(string)
		if err := c.AddResource(ids[name], doc); err != nil {
			return nil, err
		}
	}
	out := map[string]*jsonschema.Schema{}
	for name, id := range ids {
		if out[name], err = c.Compile(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// closed lets every object of a schema have only the fields that it names.
func closed(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		for _, v := range s {
			closed(v)
		}
		if s["type"] == "object" && s["properties"] != nil {
			s["additionalProperties"] = false
		}
	case []any:
		for _, v := range s {
			closed(v)
		}
	}
}

// schema is `schema NAME FILE` in a story: every JSON value in the file matches testdata/schemas/NAME.json.
// FILE may be stdout, what was printed last.
func schema(schemas map[string]*jsonschema.Schema) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) != 2 || schemas[args[0]] == nil {
			ts.Fatalf("usage: schema NAME FILE")
		}
		values := 0
		for d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1]))); ; values++ {
			d.UseNumber()
			var v any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				ts.Fatalf("value %d: %v", values+1, err)
			}
			if err := schemas[args[0]].Validate(v); (err == nil) == neg {
				ts.Fatalf("value %d: %v", values+1, err)
			}
		}
		if values == 0 {
			ts.Fatalf("%s holds no JSON", args[1])
		}
	}
}

// TestSchemas: each can be read, and refuses invalid values.
func TestSchemas(t *testing.T) {
	schemas, err := schemasOf(filepath.Join("..", "..", "testdata", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range schemas {
		for _, wrong := range []string{`{}`, `[]`, `{"schema": 1, "event": "no such"}`} {
			v, _ := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
			if s.Validate(v) == nil {
				t.Errorf("%s takes %s", name, wrong)
			}
		}
	}
	if len(schemas) < 7 {
		t.Errorf("only %d schemas", len(schemas))
	}
}
