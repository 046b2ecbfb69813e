// Package value reads JSON and YAML as values that know their lines.
//
//	Value     an object, array, string, number, boolean or null, and its line   value.go
//	ReadJSON  JSON, with comments and extra commas                              json.go
//	ReadYAML  what YAML says that JSON could; the rest is refused               yaml.go
//
// Both are bounded: in bytes by whoever calls ReadJSON, in levels, in keys of an object, so that a
// hostile text costs no more than its length.
package value
