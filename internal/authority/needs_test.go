package authority_test

import (
	"testing"

	"github.com/countersign/countersign/internal/authority"
)

// needed is a state in which five operators can sign, and a request that needs one of the security
// team (ada, ben) and one of finance (ben, carla).
func needed(more int) (authority.State, authority.Request) {
	var s authority.State
	for _, id := range []string{"ada", "ben", "carla", "dan", "eve"} {
		s.People = append(s.People, authority.Person{ID: id, Name: id, Decides: true, SignedIn: true})
	}
	return s, authority.Request{Required: 2 + more, Needs: []authority.Need{{Any: []string{"ada", "ben"}, Count: 1}, {Any: []string{"ben", "carla"}, Count: 1}}}
}

// One person counts for one need, whichever makes room: it doesn't matter who signs first.
func TestOnePersonOneNeed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signed []string
		last   string
		more   int
		want   bool
	}{
		{nil, "ben", 0, false},
		{[]string{"ben"}, "ada", 0, true},
		{[]string{"ada"}, "ben", 0, true},
		{[]string{"ben"}, "carla", 0, true},
		{[]string{"carla"}, "ben", 0, true},
		{[]string{"ada"}, "carla", 0, true},
		{[]string{"dan"}, "ada", 0, false},
		{[]string{"dan", "ada"}, "carla", 0, true},
		{[]string{"dan", "ada"}, "carla", 1, true},
		{[]string{"ada", "ben"}, "carla", 1, true},
		{[]string{"dan", "ben"}, "ada", 1, true},
		{[]string{"ada", "ben"}, "dan", 1, true},
		{[]string{"dan"}, "ada", 1, false},
	} {
		s, r := needed(c.more)
		r.Signed = c.signed
		v := s.Sign(r, c.last)
		r.Signed = append(r.Signed, c.last)
		if got := s.Complete(r, v); got != c.want {
			t.Errorf("%v and then %s, with %d more: complete is %v, want %v (counted %v)", c.signed, c.last, c.more, got, c.want, s.Counted(r))
		}
	}
}

// Who is none of those who are missing may not sign, and what they signed doesn't count.
func TestNotNeeded(t *testing.T) {
	t.Parallel()
	s, r := needed(0)
	if v := s.Sign(r, "dan"); v.May || v.Why != authority.NotNeeded {
		t.Errorf("outside of both teams: %+v", v)
	}
	r.Signed = []string{"ada"}
	if v := s.Sign(r, "dan"); v.May || len(v.Others) != 2 {
		t.Errorf("with one team missing the others are %+v, want ben and carla", v.Others)
	}
	r.Signed = []string{"dan", "ada"}
	if why, _ := s.Discounts(r, "dan"); why != authority.NotNeeded {
		t.Errorf("a signature from outside is discounted for %d", why)
	}
	if why, _ := s.Discounts(r, "ada"); why != 0 {
		t.Errorf("ada's is discounted for %d", why)
	}
	if places, enough := s.Places(r); !enough || len(places[0].Signed) != 1 || places[1].Missing() != 1 || len(places[1].Able) != 2 {
		t.Errorf("the places are %+v, %v", places, enough)
	}
	s.People[1].Suspended, s.People[2].Suspended = true, true
	if places, enough := s.Places(r); enough || len(places[1].Able) != 0 {
		t.Errorf("with nobody left in finance: %+v, %v", places, enough)
	}
	s.Single = true
	s.People = s.People[3:4]
	r.Signed = nil
	if v := s.Sign(r, "dan"); !v.May || !v.Single {
		t.Errorf("in single-person mode, with nobody else: %+v", v)
	}
}

// Two needs that only one person could meet can't be met.
func TestNotEnoughDifferentPeople(t *testing.T) {
	t.Parallel()
	s, r := needed(0)
	r.Needs[0].Any, r.Needs[1].Any = []string{"ben"}, []string{"ben"}
	if places, enough := s.Places(r); enough || len(places) != 2 || len(places[0].Able) != 1 || len(places[1].Able) != 1 {
		t.Errorf("%+v, %v", places, enough)
	}
}

// Taking a role from the last one of a team whom an open request needs waits for another admin.
func TestTheLastOfATeam(t *testing.T) {
	t.Parallel()
	s, r := needed(0)
	before := s.Find("ada")
	after := before
	after.Decides = false
	if way := s.Roles(before, after, []authority.Request{r}); way != authority.AtOnce {
		t.Errorf("with ben and carla left it is %d", way)
	}
	s.People[2].Suspended = true
	if way := s.Roles(before, after, []authority.Request{r}); way != authority.Another {
		t.Errorf("with only ben left for both it is %d", way)
	}
}
