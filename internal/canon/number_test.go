package canon_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

func TestNumbersAccepted(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 200_000)
	for literal, want := range map[string]string{
		"0": "0", "0.0": "0", "0e5": "0", "0E-999999999": "0", "0.000e+99999999999999999999": "0",
		"1": "1", "-1": "-1", "10": "10", "20.0": "20", "1e3": "1000", "1E+3": "1000", "1e03": "1000", "100e-2": "1",
		"0.1": "0.1", "-0.5": "-0.5", "4.50": "4.5", "0.10": "0.1", "1.5e0": "1.5", "12.34e1": "123.4",
		"999999999999999": "999999999999999", "9007199254740991": "9007199254740991", "-9007199254740991": "-9007199254740991",
		"9007199254740991.000": "9007199254740991", "9.007199254740991e15": "9007199254740991", "1e15": "1000000000000000",
		"4503599627370495.5": "4503599627370495.5",
		"0.000001":           "0.000001", "0.0000001": "1e-7", "1e-7": "1e-7", "1.5e-10": "1.5e-10", "123e-20": "1.23e-18",
		"0.30000000000000004": "0.30000000000000004", "0.3": "0.3",
		"5e-324": "5e-324", "50e-325": "5e-324", "2.2250738585072014e-308": "2.2250738585072014e-308", "1e-323": "1e-323",
		"333333333.3333333": "333333333.3333333",
		// integers beyond 2^53: as a double prints them where that is the same value, else as they are
		"9007199254740992": "9007199254740992", "9007199254740993": "9007199254740993", "-9007199254740993": "-9007199254740993", "-9007199254740992": "-9007199254740992",
		"9223372036854775807": "9223372036854775807", "18446744073709551615": "18446744073709551615", "18446744073709551616": "18446744073709551616",
		"1152921504606846976": "1152921504606846976", "1152921504606847000": "1152921504606847000",
		"1234567890123456789": "1234567890123456789", "1764288000123456789": "1764288000123456789", "1000000000000000001": "1000000000000000001",
		"10000000000000000": "10000000000000000", "1e16": "10000000000000000", "0.1e17": "10000000000000000", "100000000000000000.0": "100000000000000000",
		"100000000000000000000": "100000000000000000000", "1e20": "100000000000000000000", "1.5e20": "150000000000000000000",
		"1000000000000000000000": "1e+21", "1e21": "1e+21", "-1e21": "-1e+21", "100000000000000000000000": "1e+23", "99999999999999991611392": "99999999999999991611392",
		"1000000000000000000000000000000": "1e+30", "1000000000000000000000000000001": "1000000000000000000000000000001",
		"99999999999999999999999999999999999999": "99999999999999999999999999999999999999", // 38 digits, as NUMBER(38) has
		"1" + zeros[:39]:                         "1e+39", "1e39": "1e+39", "9.5e39": "9.5e+39", "-" + strings.Repeat("9", 40): "-" + strings.Repeat("9", 40),
		// a long way round to an ordinary value
		"1" + zeros + "e-200000":          "1",
		"0." + zeros + "15e200001":        "1.5",
		"1." + zeros:                      "1",
		"1.5" + zeros + "e0":              "1.5",
		"2.5e" + zeros + "1":              "25",
		"-12" + zeros + "." + "0e-199999": "-120",
	} {
		v, err := canon.Parse([]byte("[" + literal + "]"))
		if err != nil {
			t.Errorf("%.40s refused: %v", literal, err)
			continue
		}
		number := firstElement(v)
		if number.Kind() != canon.KindNumber || number.Number() != want {
			t.Errorf("%.40s = %s %q, want %q", literal, number.Kind(), number.Number(), want)
		}
		if f, _ := strconv.ParseFloat(want, 64); number.Float() != f {
			t.Errorf("%.40s as a double = %v, want %v", literal, number.Float(), f)
		}
	}
}

func firstElement(v canon.Value) canon.Value {
	for _, e := range v.Elements() {
		return e
	}
	return canon.Value{}
}

func TestNumbersRefused(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("7", 200_000)
	const (
		changes = "loses precision as a double; send it as a string"
		written = "loses precision as a double; send the integer without a fraction or exponent"
		outside = "is an integer of more than 40 digits; send it as a string"
		minus   = "minus zero"
		value   = "isn't a JSON value"
		follows = `"," or "]" is expected`
	)
	for literal, detail := range map[string]string{
		"-0": minus, "-0.0": minus, "-0e5": minus, "-0E-5": minus, "-0.000e99999999999999999999": minus,
		"9007199254740992.5": changes, "9007199254740991.5": changes, "9007199254740993.0": written, "-9007199254740993e0": written, "900719925474099.3e1": written,
		"1" + digits[:40]: outside, "-1" + strings.Repeat("0", 40): outside, "1e40": outside, "1e300": outside, "1.7976931348623157e308": outside,
		"0123456789012345678901234567890123456789": "begins with a zero", "-09007199254740993": "begins with a zero",
		"1e309": changes, "1.8e308": changes, "1e400": changes, "-1e999999999": changes,
		"1e999999999999999999999999999999": changes, "1e-999999999999999999999999999999": changes,
		"1e-400": changes, "4e-324": changes, "4.9e-324": changes, "2e-324": changes, "1e-324": changes,
		"0.10000000000000001": changes, "0.1000000000000000055511151231257827": changes, "333333333.33333329": changes,
		"0.30000000000000000001": changes, "123456789.123456789012": changes, "3.141592653589793238": changes,
		"1.00000000000000000000000000000000001": changes, "2.2250738585072011e-308": changes,
		digits: outside, "0." + digits: changes, "1e" + digits: changes, "1e-" + digits: changes, "-" + digits + "." + digits[:50_000] + "e-200000": changes,
		"1." + strings.Repeat("0", 200_000) + "1": changes,
		"01": "begins with a zero", "-01": "begins with a zero", "00": "begins with a zero", "-00": "begins with a zero", "007.5": "begins with a zero",
		"-": "no digit after the minus", "--1": "no digit after the minus", "-a": "no digit after the minus", "-.5": "no digit after the minus", "-Infinity": "no digit after the minus", "-NaN": "no digit after the minus",
		"1.": "after the decimal point", "1.e5": "after the decimal point", "-2.": "after the decimal point", "0.": "after the decimal point", "1.-5": "after the decimal point",
		"1e": "exponent", "1e+": "exponent", "1E-": "exponent", "1e+-5": "exponent", "0e": "exponent", "1e ": "exponent", "1.5ex": "exponent",
		".5": value, "+1": value, "NaN": value, "Infinity": value, "nan": value, "٣": value, "１": value, "½": value,
		"0x1": follows, "1_000": follows, "1 000": follows, "1.2.3": follows, "1e5.5": follows, "1a": follows, "0b1": follows, "1f": follows, "1n": follows, "1+1": follows, "1-": follows,
	} {
		_, err := canon.Parse([]byte("[" + literal + "]"))
		if !fault.Is(err, fault.MalformedJSON) {
			t.Errorf("[%.40s] = %v, want it refused", literal, err)
			continue
		}
		f := fault.As(err)
		if !strings.Contains(f.Detail, detail) || !strings.Contains(f.Detail, "byte ") {
			t.Errorf("[%.40s]: detail %q, want it to contain %q", literal, f.Detail, detail)
		}
		if detail != follows && f.Member != "/0" {
			t.Errorf("[%.40s]: member %q, want /0", literal, f.Member)
		}
	}
}

func TestNumberMessage(t *testing.T) {
	t.Parallel()
	_, err := canon.Parse([]byte(`{"arguments":{"x":"y","id": 0.10000000000000001}}`))
	const want = "number 0.10000000000000001 at /arguments/id (byte 28) loses precision as a double; send it as a string"
	if got := fault.As(err).Detail; got != want {
		t.Errorf("detail = %q\nwant     %q", got, want)
	}
}

// The rule, told by exact arithmetic: a literal is accepted if and only if the
// shortest decimal of its nearest double equals it or it is written as an integer, it has
// at most 40 digits before the point, and it is no −0.
func TestNumbersAgreeWithExactArithmetic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		literal := numberLiteral().Draw(t, "literal")
		exact, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Fatalf("big.Rat does not read %q", literal)
		}
		f, err := strconv.ParseFloat(literal, 64)
		limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil))
		want := err == nil && new(big.Rat).Abs(exact).Cmp(limit) < 0 && !(f == 0 && literal[0] == '-')
		if want && strings.ContainsAny(literal, ".eE") {
			shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64))
			want = shortest.Cmp(exact) == 0
		}
		v, err := canon.Parse([]byte(literal))
		if (err == nil) != want {
			t.Fatalf("Parse(%s): err %v, want accepted: %v", literal, err, want)
		}
		if err != nil {
			return
		}
		if math.Float64bits(v.Float()) != math.Float64bits(f) {
			t.Errorf("Float of %s = %v, want %v", literal, v.Float(), f)
		}
		canonical, _ := new(big.Rat).SetString(v.Number())
		if canonical.Cmp(exact) != 0 {
			t.Errorf("%s became %s, another number", literal, v.Number())
		}
	})
}

// numberLiteral draws valid JSON numbers, most of them near a border: true
// doubles, doubles with a digit changed, and any digits at all.
func numberLiteral() *rapid.Generator[string] {
	double := rapid.Custom(func(t *rapid.T) string {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 1.5
		}
		if rapid.Bool().Draw(t, "moderate") {
			f = math.Ldexp(f/math.Pow(2, float64(math.Ilogb(f))), rapid.IntRange(-60, 60).Draw(t, "exponent"))
		}
		format := rapid.SampledFrom([]byte{'e', 'f'}).Draw(t, "format")
		precision := rapid.SampledFrom([]int{-1, -1, 14, 15, 16, 17, 18}).Draw(t, "precision")
		return strconv.FormatFloat(f, format, precision, 64)
	})
	return rapid.OneOf(
		double.Filter(func(s string) bool { return !strings.Contains(s, "N") }),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`),
		rapid.StringMatching(`-?(0|[1-9]0{0,20})(\.0{0,10}[0-9]{1,3}0{0,10})?([eE][+-]?0{0,2}[0-9]{1,2})?`),
		rapid.StringMatching(`-?90071992547409[0-9]{2}(\.[05]{1,2})?`),
		rapid.StringMatching(`-?[1-9][0-9]{15,41}`),
		rapid.StringMatching(`-?[1-9][0-9]{0,4}0{14,38}(e[0-3])?`),
	)
}

// Two spellings of one value have one canonical form, two values never: what is compared,
// stored and hashed is the value. Compare orders as exact arithmetic does.
func TestOneFormForEachNumber(t *testing.T) {
	t.Parallel()
	near := rapid.Custom(func(t *rapid.T) string {
		n, _ := new(big.Int).SetString(rapid.StringMatching(`-?[1-9][0-9]{0,2}(0{0,36}|[0-9]{14,36})`).Draw(t, "integer"), 10)
		return n.Add(n, big.NewInt(rapid.Int64Range(-2, 2).Draw(t, "more"))).String()
	})
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.OneOf(near, numberLiteral()).Draw(t, "one")
		other := rapid.OneOf(near, numberLiteral(), spellings(one)).Draw(t, "other")
		v, err := canon.Parse([]byte(one))
		w, errOther := canon.Parse([]byte(other))
		if err != nil || errOther != nil {
			return
		}
		a, _ := new(big.Rat).SetString(one)
		b, _ := new(big.Rat).SetString(other)
		if same := a.Cmp(b) == 0; same != v.Equal(w) || same != (canon.Digest(v) == canon.Digest(w)) {
			t.Errorf("%s became %s, %s became %s", one, v.Number(), other, w.Number())
		}
		if v.Compare(w) != a.Cmp(b) {
			t.Errorf("Compare(%s, %s) = %d, want %d", one, other, v.Compare(w), a.Cmp(b))
		}
		if digits, _ := new(big.Rat).SetString(v.Digits()); digits.Cmp(a) != 0 || strings.Contains(v.Digits(), "e+") {
			t.Errorf("Digits of %s = %s", one, v.Digits())
		}
	})
}

// spellings draws other ways to write a number, and its neighbours.
func spellings(literal string) *rapid.Generator[string] {
	value, ok := new(big.Float).SetPrec(200).SetString(literal)
	if !ok {
		panic(literal)
	}
	next := new(big.Int)
	value.Int(next)
	return rapid.SampledFrom([]string{literal, value.Text('f', 0), value.Text('e', 16), next.Add(next, big.NewInt(1)).String(), literal + "e0", value.Text('f', 0) + ".0"})
}
