package effects_test

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/effects"
)

func TestAmountAsStated(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]effects.Amount{
		"8,400,000 USD": {Value: 8400000, Currency: "USD"},
		"49.99 EUR":     {Value: 49.99, Currency: "EUR"},
		"1,249.5 EUR":   {Value: 1249.5, Currency: "EUR"},
		"0.001 BTC":     {Value: 0.001, Currency: "BTC"},
		"500":           {Value: 500},
		"about 1,000,000,000,000,000,000,000,000,000,000 WEI": {Value: 1e30, Currency: "WEI"},
		"5,000,000 EUR or more":                               {Value: 5_000_000, Currency: "EUR", OrMore: true},
		"about 12,345,678,901,234,600,000":                    {Value: 12345678901234567890},
	} {
		if got := a.String(); got != want {
			t.Errorf("%v is %q, want %q", a.Value, got, want)
		}
	}
}

// match_all is no condition: what is changed by it is all there is.
func TestMatchAllIsAll(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]effects.Breadth{`{"query":{"match_all":{}}}`: effects.All, `{"query":{"match":{"status":"open"}}}`: effects.One} {
		arguments, err := canon.Parse([]byte(`{"index":"orders","body":` + body + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if all := effects.Examine(effects.Input{Function: "update_by_query", Arguments: arguments}).Effects(effects.Given{}); all[0].Breadth != want {
			t.Errorf("%s: %+v, want the breadth %s", body, all, want)
		}
	}
}

// Whoever calls a payment a share, repeats it, or adds a sum that is not read makes it no smaller.
func TestSharesHideNoSum(t *testing.T) {
	t.Parallel()
	for _, said := range []string{`"split_by":"percentage"`, `"type":"percent"`, `"amount_type":"percentage"`, `"recurring":true`, `"interval":"weekly"`, `"fee":"about ten"`} {
		arguments, err := canon.Parse([]byte(`{"iban":"DE89370400440532013000","currency":"EUR","amount":5000000,` + said + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if all := effects.Examine(effects.Input{Function: "transfer_funds", Arguments: arguments}).Effects(effects.Given{}); all[0].Amount == nil || all[0].Amount.Value != 5_000_000 {
			t.Errorf("%s: %+v", said, all[0])
		}
	}
}

// Where money goes is no small payment: by what is split is said above the parts.
func TestSharesAreNoSums(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]bool{"Percentage": false, "Amount": true} {
		arguments, err := canon.Parse([]byte(`{"id":"e1","payment_method":{"split_by":"` + by + `","splits":[{"account_number":"4147093318826","split_amount":100}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if all := effects.Examine(effects.Input{Function: "update_employee", Arguments: arguments}).Effects(effects.Given{}); all[0].Kind != effects.Money || (all[0].Amount != nil) != want {
			t.Errorf("split by %s: %+v, want an amount: %v", by, all[0], want)
		}
	}
}
