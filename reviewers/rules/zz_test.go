package rules
import ("testing";"fmt";"strings")
func BenchmarkGate(b *testing.B){
	var lines, plain []string
	for i := range 10_000 {
		lines = append(lines, fmt.Sprintf("+\tuser%d, err := store.Load(ctx, %q) // key-%d sk- AKIA hf_ SG. npm_", i, strings.Repeat("x", 60), i))
		plain = append(plain, fmt.Sprintf("+\tuser%d, err := store.Load(ctx, %q) // %d", i, strings.Repeat("x", 60), i))
	}
	b.Run("odd", func(b *testing.B){c := change(file("a.go", lines...)); for b.Loop() { Find(c, Gate) }})
	b.Run("plain", func(b *testing.B){c := change(file("a.go", plain...)); for b.Loop() { Find(c, Gate) }})
	b.Run("plainreview", func(b *testing.B){c := change(file("a.go", plain...)); for b.Loop() { Find(c, Review) }})
}
