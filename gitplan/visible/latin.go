package visible

// latin are the letters of other scripts that are drawn like an ASCII letter, from
// Unicode's confusables: pairs of strings of the same length, letter for letter.
var latin = pairs(
	"АВЕЅІЈКМНОРСТХаеорсухіјѕԁԛԝһԌӀ", "ABESIJKMHOPCTXaeopcyxijsdqwhGl", // Cyrillic
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρι", "ABEZHIKMNOPTYXoavpi", // Greek
	"ցհոսօ", "ghnuo", // Armenian
	"ᎠᎡᎢᎪᎫᎬᎳᎷᎻᎽᏀᏃᏚᏙᏞᏟᏢᏦᏴ", "DRTAJEWMHYGZSVLCPKB", // Cherokee
	"ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU", // Lisu
	"ⲤⲞⲢⲔⲘⲚⲦⲀⲂⲈ", "COPKMNTABE", // Coptic
	"∶꞉ː׃", "::::",
)

func pairs(texts ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i < len(texts); i += 2 {
		ascii := texts[i+1]
		for _, r := range texts[i] {
			m[r], ascii = rune(ascii[0]), ascii[1:]
		}
	}
	return m
}

// LatinOf returns the ASCII letter that a letter of another script, of full width or of
// mathematics looks like; 0 if it looks like none.
func LatinOf(r rune) rune {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	switch {
	case r < 0x80:
		return 0
	case r >= 0xff01 && r <= 0xff5e:
		return r - 0xff01 + '!'
	case r >= 0x1d400 && r <= 0x1d6a3:
		return rune(letters[(r-0x1d400)%rune(len(letters))])
	}
	return latin[r]
}
