package domain_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/proofload/proofload/domain"
)

// network is a model of channels only: "b1 top left order.#" is a binding, "k1 left" a subscription.
func network(channels []string, bindings [][4]string, subscriptions [][2]string) domain.Model {
	m := domain.Model{Elements: []domain.Element{{ID: "consumer", Kind: domain.KindService}}}
	for _, id := range channels {
		m.Channels = append(m.Channels, domain.Channel{ID: id, Name: "the " + id, Kind: domain.KindTopic})
	}
	for _, b := range bindings {
		m.Bindings = append(m.Bindings, domain.Binding{ID: b[0], FromChannelID: b[1], ToChannelID: b[2], RoutingKey: b[3]})
	}
	for _, s := range subscriptions {
		m.Subscriptions = append(m.Subscriptions, domain.Subscription{ID: s[0], ChannelID: s[1], ElementID: "consumer"})
	}
	return m
}

// diamond is top -> left, right -> bottom -> top, listed in no order.
func diamond() domain.Model {
	return network(
		[]string{"top", "left", "right", "bottom", "aside"},
		[][4]string{
			{"b5", "bottom", "top"},
			{"b4", "right", "bottom"},
			{"b2", "top", "right"},
			{"b3", "left", "bottom"},
			{"b1", "top", "left"},
			{"b6", "top", "aside", "*.eu"},
		},
		[][2]string{{"k4", "bottom"}, {"k1", "left"}, {"k3", "top"}, {"k2", "top"}, {"k0", "right"}, {"k9", "aside"}},
	)
}

func TestWalk(t *testing.T) {
	want := domain.Walk{
		Matched: 5, // also b4, into bottom that b3 took, and b5, back into top
		Channels: []domain.WalkChannel{
			{ID: "top", From: -1, Subscriptions: []string{"k2", "k3"}, Next: []int{1, 2}},
			{ID: "left", From: 0, BindingID: "b1", Subscriptions: []string{"k1"}, Next: []int{3}},
			{ID: "right", From: 0, BindingID: "b2", Subscriptions: []string{"k0"}, Next: []int{3}},
			{ID: "bottom", From: 1, BindingID: "b3", Subscriptions: []string{"k4"}, Next: []int{0}},
		},
	}
	got := domain.Routes(diamond(), "top", "order.us")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"k2", "k3", "k1", "k0", "k4"}, got.Subscriptions()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"top", "left", "bottom"}, got.Path(3)); diff != "" {
		t.Error(diff)
	}
	if got := domain.Routes(diamond(), "top", "order.eu"); got.Matched != 6 || len(got.Channels) != 5 {
		t.Errorf("with a key that matches b6: %d matched, %d channels", got.Matched, len(got.Channels))
	}
}

func TestWalkWithChannelsOut(t *testing.T) {
	walk := domain.Routes(diamond(), "top", "")
	for _, c := range []struct {
		out  []string
		want []string
	}{
		{nil, []string{"top", "left", "right", "bottom"}},
		{[]string{"left"}, []string{"top", "right", "bottom"}}, // bottom by way of right
		{[]string{"bottom"}, []string{"top", "left", "right"}},
		{[]string{"left", "right"}, []string{"top"}},
		{[]string{"top"}, []string{"top", "left", "right", "bottom"}}, // the publish itself is tested before
	} {
		order := walk.Open(func(i int) bool { return slices.Contains(c.out, walk.Channels[i].ID) })
		var got []string
		for _, i := range order {
			got = append(got, walk.Channels[i].ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("without %v: %s", c.out, diff)
		}
	}
}

// A walk is the same as one that looks at the whole model for every channel, with and without outages.
func TestWalkAsANaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomNetwork().Draw(t, "model")
		key := rapid.SampledFrom([]string{"", "a", "a.b"}).Draw(t, "key")
		out := rapid.SliceOfDistinct(rapid.SampledFrom(channelIDs(m)), rapid.ID).Draw(t, "out")
		walk := domain.Routes(m, m.Channels[0].ID, key)

		channels, matched := naiveWalk(m, m.Channels[0].ID, key, nil)
		if diff := cmp.Diff(channels, channelsOf(walk, nil)); diff != "" || matched != walk.Matched {
			t.Fatalf("%d matched, not %d; %s", walk.Matched, matched, diff)
		}
		channels, _ = naiveWalk(m, m.Channels[0].ID, key, out)
		if diff := cmp.Diff(channels, channelsOf(walk, out)); diff != "" {
			t.Fatalf("without %v: %s", out, diff)
		}
	})
}

func channelsOf(walk domain.Walk, out []string) []string {
	var found []string
	for _, i := range walk.Open(func(i int) bool { return slices.Contains(out, walk.Channels[i].ID) }) {
		found = append(found, walk.Channels[i].ID)
	}
	return found
}

func naiveWalk(m domain.Model, channelID, key string, out []string) (taken []string, matched int) {
	bindings := slices.Clone(m.Bindings)
	slices.SortFunc(bindings, func(a, b domain.Binding) int { return slices.Compare([]string{a.ID}, []string{b.ID}) })
	taken = []string{channelID}
	for i := 0; i < len(taken); i++ {
		for _, b := range bindings {
			if b.FromChannelID != taken[i] || !topicOracle(b.RoutingKey, key) {
				continue
			}
			matched++
			if !slices.Contains(taken, b.ToChannelID) && !slices.Contains(out, b.ToChannelID) {
				taken = append(taken, b.ToChannelID)
			}
		}
	}
	return taken, matched
}

func channelIDs(m domain.Model) []string {
	var ids []string
	for _, c := range m.Channels {
		ids = append(ids, c.ID)
	}
	return ids
}

// randomNetwork has up to 6 channels, 12 bindings and 6 subscriptions.
func randomNetwork() *rapid.Generator[domain.Model] {
	return rapid.Custom(func(t *rapid.T) domain.Model {
		channels := []string{"c0", "c1", "c2", "c3", "c4", "c5"}[:rapid.IntRange(1, 6).Draw(t, "channels")]
		channel := rapid.SampledFrom(channels)
		pattern := rapid.SampledFrom([]string{"", "#", "*", "a", "a.*", "#.b"})
		var bindings [][4]string
		for i := range rapid.IntRange(0, 12).Draw(t, "bindings") {
			id := fmt.Sprintf("b%02d", (i*7)%12)
			bindings = append(bindings, [4]string{id, channel.Draw(t, "from"), channel.Draw(t, "to"), pattern.Draw(t, "pattern")})
		}
		var subscriptions [][2]string
		for i := range rapid.IntRange(0, 6).Draw(t, "subscriptions") {
			subscriptions = append(subscriptions, [2]string{fmt.Sprintf("k%d", i), channel.Draw(t, "of")})
		}
		return network(channels, bindings, subscriptions)
	})
}
