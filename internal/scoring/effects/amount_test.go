package effects_test

import (
	"testing"

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
		"about 12,345,678,901,234,600,000":                    {Value: 12345678901234567890},
	} {
		if got := a.String(); got != want {
			t.Errorf("%v is %q, want %q", a.Value, got, want)
		}
	}
}
