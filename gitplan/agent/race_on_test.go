//go:build race

package agent

const raceDetector = true
