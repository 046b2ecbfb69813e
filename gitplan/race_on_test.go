//go:build race

package gitplan

const raceDetector = true
