package effects

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// paid reads what a call pays, and makes money of what says how.
func (r *reader) paid() {
	if at, ok := r.paysWith(r.in.Arguments, "/arguments", 0); ok && (r.named.Kind == Write || r.named.Kind == Unknown) {
		e := r.effect(named{kind: Money, verb: "pay", object: r.name.object}, at, true)
		e.Breadth = r.named.Breadth
		r.tell(e)
	}
	if at, ok := r.trades(); ok {
		r.tell(r.effect(named{kind: Money, verb: "trade", object: r.name.object}, at, true))
	}
	if at, ok := r.budgets(r.in.Arguments, "/arguments", 0); ok && (r.named.Kind == Write || r.named.Kind == Message) {
		r.tell(r.effect(named{kind: Money, verb: "set", object: "budget"}, at, true))
	}
	isMoney := func(e Effect) bool { return e.Kind == Money }
	if r.named.Kind != Money && !slices.ContainsFunc(r.told, isMoney) {
		return
	}
	s := sums{}
	s.read(r.in.Arguments, nil, 0)
	s.minor = MinorUnits(r.in.Function, r.in.Call.Tree())
	amount := s.amount()
	if amount == nil || r.named.Kind == Money && says("priced", r.name.object[strings.LastIndexByte(r.name.object, ' ')+1:]) {
		return // a price that is set is paid by everybody, a limit is no payment
	}
	if r.named.Kind == Money {
		r.named.Amount = amount
	}
	for i := range r.told {
		if isMoney(r.told[i]) {
			r.told[i].Amount = amount
		}
	}
}

// trades finds a side beside how much of what: {side: buy, symbol: …, quantity: 5}.
func (r *reader) trades() (at Evidence, ok bool) {
	var side, traded bool
	for name, v := range r.in.Arguments.Members() {
		switch key := lowered(name); {
		case says("sided", key) && says("sides", strings.ToLower(v.Text())):
			side, at = true, Evidence{Pointer: "/arguments/" + canon.PointerEscape(name), End: len(v.Text()), Why: "the argument " + key + " says " + strings.ToLower(v.Text())}
		case says("traded", key):
			traded = true
		}
	}
	return at, side && traded && (r.named.Kind == Write || r.named.Kind == Unknown || r.named.Kind == Message)
}

// budgets finds an argument of a change that says how much may be spent.
func (r *reader) budgets(args canon.Value, pointer string, depth int) (Evidence, bool) {
	for name, member := range args.Members() {
		key, at, s := strings.Split(lowered(name), "_"), pointer+"/"+canon.PointerEscape(name), sums{}
		if slices.Contains(key, "budget") && !says("ids", key[len(key)-1]) {
			s.read(member, key, 0)
		}
		if s.largest > 0 {
			return Evidence{Pointer: at, Why: "the argument " + strings.Join(key, "_") + " says how much may be spent"}, true
		}
		if depth < 3 {
			if e, ok := r.budgets(member, at, depth+1); ok {
				return e, true
			}
		}
	}
	return Evidence{}, false
}

// paysWith finds an argument that says how is paid.
func (r *reader) paysWith(v canon.Value, pointer string, depth int) (Evidence, bool) {
	for name, member := range v.Members() {
		key := lowered(name)
		at := pointer + "/" + canon.PointerEscape(name)
		said := member.Len() > 0 || member.Text() != "" || member.Kind() == canon.KindNumber
		if said && (strings.HasPrefix(key, "payment_method") || says("paying_with", key)) {
			return Evidence{Pointer: at, Why: "the argument " + key + " says how is paid"}, true
		}
		if depth < 3 && member.Kind() == canon.KindObject {
			if e, ok := r.paysWith(member, at, depth+1); ok {
				return e, true
			}
		}
	}
	return Evidence{}, false
}

// sums are the sums of money that arguments name.
type sums struct {
	largest  float64
	found    bool
	quantity float64
	total    float64 // of several payments in a list
	unread   bool    // a sum is written in a way that is not read
	price    float64
	minor    bool // whole numbers count cents
	shares   bool // what is read now is in percent
	// of is what the largest sum is of, and currencies say of what each is: "source" of
	// source_amount and source_currency.
	of         string
	currency   string // the last one
	currencies map[string]string
}

// MinorUnits reports whether the sums of a call are whole numbers of cents: its tool is one of those
// that count so, and an identifier in the call is named and written as theirs are; or its tool's name
// says the API, and a sum stands where that API has it.
func MinorUnits(function string, arguments *call.Node) bool {
	tool, names := says("minor_tools", lowered(function[actingPart(function):])), call.Words(function)
	for leaf := range arguments.Leaves() { // of a request its host names the API
		if _, address, ok := strings.Cut(leaf.Text(), "://"); ok {
			host, _, _ := strings.Cut(address, "/")
			names = append(names, call.Words(host)...)
		}
	}
	for leaf := range arguments.Leaves() {
		at := strings.Split(leaf.Pointer, "/")
		for i := range at {
			words := strings.Split(lowered(at[i]), "_")
			at[i] = words[len(words)-1] // modificationAmount is an amount
		}
		for i := max(0, len(at)-2); i < len(at) && leaf.Kind() == canon.KindNumber; i++ {
			sum := "/" + strings.Join(at[i:], "/")
			if slices.ContainsFunc(names, func(api string) bool { return says("minor_sums", api+sum) }) {
				return true
			}
		}
		if prefix, rest, ok := strings.Cut(leaf.Text(), "_"); tool && ok && rest != "" && says("minor_ids", prefix) && says("minor_id_keys", lowered(leaf.Name)) {
			return true
		}
	}
	return false
}

// CountsCents reports whether the words of a name say that a number counts minor units: price_cents.
func CountsCents(name []string) bool { return saysAny("minor_units", name) }

// HasMinorUnits reports whether a currency has cents or their like; one that is not known has.
func HasMinorUnits(currency string) bool { return !says("whole_currencies", strings.ToLower(currency)) }

func (s *sums) read(v canon.Value, key []string, depth int) {
	if depth > 6 {
		return
	}
	switch v.Kind() {
	case canon.KindBool:
		s.unread = s.unread || v.Bool() && slices.Contains(key, "recurring")
	case canon.KindObject:
		share, around := shareIn(v), s.shares
		for name, member := range v.Members() {
			s.shares = around || lowered(name) == share || strings.HasSuffix(share, "_by") // split_by: Percentage, and the parts below it
			inner := strings.Split(lowered(name), "_")
			if len(inner) == 1 && (inner[0] == "value" || inner[0] == "") && len(key) > 0 {
				inner = key // {"amount": {"value": "10.00"}}
			}
			s.read(member, inner, depth+1)
		}
		s.shares = around
	case canon.KindArray:
		sum := 0.0
		for _, element := range v.Elements() {
			one := sums{shares: s.shares}
			one.read(element, key, depth+1)
			sum += one.largest
			s.read(element, key, depth+1)
		}
		s.total = max(s.total, sum)
	case canon.KindNumber:
		s.number(v.Float(), key)
	case canon.KindString:
		s.text(v.Text(), key)
	default:
	}
}

// shareIn is the argument that is a share and no sum, where another one says so: value beside
// {value_type: percentage}, or beside {type: percentage}; or the argument by what everything is split.
func shareIn(v canon.Value) string {
	for name, member := range v.Members() {
		key := lowered(name)
		if of, ok := strings.CutSuffix(key, "type"); ok && says("shares_of", strings.ToLower(member.Text())) {
			return cmp.Or(strings.Trim(of, "_"), "value")
		}
		if strings.HasSuffix(key, "_by") && says("shares_of", strings.ToLower(member.Text())) {
			return key
		}
	}
	return ""
}

// wholeShare is all, in percent: more is a sum, whatever the call says of it, or a payment would seem small.
const wholeShare = 100

// number reads a number; sum is false where its name is not that of a sum of money.
func (s *sums) number(n float64, key []string) (sum bool) {
	if len(key) == 0 {
		return false
	}
	if says("times", key[len(key)-1]) && n > 1 {
		s.unread = true // it is paid more than once
	}
	n = math.Abs(n)
	if saysAny("minor_units", key) || slices.Equal(key, []string{"unit", "amount"}) {
		n /= 100
	}
	switch {
	case s.shares && n <= wholeShare:
	case saysAny("sums_of_money", key):
		if saysAny("unit_prices", key) {
			s.price = max(s.price, n)
		}
		if !s.found || n > s.largest {
			s.largest, s.of = n, strings.Join(key[:len(key)-1], "_")
		}
		s.found = true
		return true
	case saysAny("how_many", key):
		s.quantity = max(s.quantity, n)
	}
	return false
}

func (s *sums) text(text string, key []string) {
	if len(key) == 0 || len(text) > 40 {
		return
	}
	last := key[len(key)-1]
	if says("currencies", last) && len(text) <= 10 {
		s.currency = strings.ToUpper(strings.TrimSpace(text))
		if s.currencies == nil {
			s.currencies = map[string]string{}
		}
		s.currencies[strings.Join(key[:len(key)-1], "_")] = s.currency
		return
	}

	if says("repeating", last) && text != "once" && text != "" {
		s.unread = true
		return
	}
	digits := strings.TrimFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '-' })
	rest := strings.ToUpper(strings.TrimSpace(strings.Replace(text, digits, "", 1)))
	n, ok := sumOf(digits)
	_, isSymbol := symbols[rest]
	if !ok || rest != "" && !isSymbol && (len(rest) != 3 || strings.ContainsFunc(rest, func(c rune) bool { return c < 'A' || c > 'Z' })) {
		s.unread = s.unread || saysAny("plain_sums", key)
		return
	}
	if !s.number(n, key) {
		return // INV-0042 is no sum in INV
	}
	if code := symbols[rest]; code != "" && s.currency == "" {
		s.currency = code
	} else if len(rest) == 3 && s.currency == "" {
		s.currency = rest
	}
}

var symbols = map[string]string{"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}

// sumOf reads digits with separators: of two kinds the last one is the decimal one. A single
// dot or comma with three digits behind it may be either, so that it is not read.
func sumOf(digits string) (float64, bool) {
	dot, comma := strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')
	switch {
	case dot >= 0 && comma > dot:
		digits = strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", ".")
	case dot >= 0 && comma >= 0:
		digits = strings.ReplaceAll(digits, ",", "")
	case comma >= 0 && len(digits)-comma == 3:
		digits = strings.Replace(digits, ",", ".", 1)
	case comma >= 0 && strings.Count(digits, ",") > 1:
		digits = strings.ReplaceAll(digits, ",", "")
	case max(dot, comma) >= 0 && len(digits)-max(dot, comma) == 4:
		return 0, false
	case comma >= 0:
		digits = strings.Replace(digits, ",", ".", 1)
	}
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil
}

// amount is the largest sum; a price counts as often as it is paid. Where it is paid again, or another sum
// can't be read, it's that much at least.
func (s *sums) amount() *Amount {
	if !s.found || s.largest == 0 || math.IsInf(s.largest, 0) {
		return nil
	}
	a := &Amount{Value: max(s.largest, s.total, math.Round(s.price*max(s.quantity, 1)*1e6)/1e6), Currency: s.currency, OrMore: s.unread} // 88.4 × 350 is 30,940
	if own := s.currencies[s.of]; own != "" {
		a.Currency = own
	}
	if s.minor && a.Value == math.Trunc(a.Value) && HasMinorUnits(a.Currency) {
		a.Value /= 100
	}
	return a
}
