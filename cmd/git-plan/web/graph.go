package web

import "fmt"

// Graph is a drawing of the steps: a column for each wave of steps that could be done at once, and
// a line from each step to those that need it. Sizes are in pixels.
type Graph struct {
	Width, Height int
	Boxes         []Box
	Lines         []string // paths of SVG
}

// Box is a step in it.
type Box struct {
	X, Y  int
	ID    string
	State string
	N     int
}

const (
	boxWidth, boxHeight = 166, 30
	boxGapX, boxGapY    = 46, 12
)

// draw places the steps; nil if there are too many to look at, or none needs another.
func draw(steps []Step) *Graph {
	if len(steps) < 2 || len(steps) > mostDrawn {
		return nil
	}
	column, at := map[string]int{}, map[string]Box{}
	rows := map[int]int{}
	g := &Graph{}
	for _, s := range steps { // the steps it needs stand before it in the plan, or it would wait for ever
		col := 0
		for _, need := range s.Needs {
			if c, ok := column[need]; ok {
				col = max(col, c+1)
			}
		}
		column[s.ID] = col
		b := Box{X: col * (boxWidth + boxGapX), Y: rows[col] * (boxHeight + boxGapY), ID: s.ID, State: s.State, N: s.N}
		rows[col]++
		at[s.ID] = b
		g.Boxes = append(g.Boxes, b)
		g.Width, g.Height = max(g.Width, b.X+boxWidth), max(g.Height, b.Y+boxHeight)
	}
	for _, s := range steps {
		to := at[s.ID]
		for _, need := range s.Needs {
			if from, ok := at[need]; ok {
				g.Lines = append(g.Lines, curve(from, to))
			}
		}
	}
	return g
}

// curve returns the path from the right of a box to the left of another.
func curve(from, to Box) string {
	x1, y1, x2, y2 := from.X+boxWidth, from.Y+boxHeight/2, to.X, to.Y+boxHeight/2
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+boxGapX/2, y1, x2-boxGapX/2, y2, x2, y2)
}
