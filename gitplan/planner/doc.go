// Package planner has sessions write a plan, judge it, and plan again what is open of it.
package planner
