package patterns

import "testing"

func TestEveryExampleOfTheDefaultLibrary(t *testing.T) {
	t.Parallel()
	l := Default()
	if l.Len() < 35 {
		t.Errorf("the library has %d patterns, want at least 35", l.Len())
	}
	for _, m := range l.matchers {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			if err := m.tryExamples(); err != nil {
				t.Error(err)
			}
		})
	}
}
