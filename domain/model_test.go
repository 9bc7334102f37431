package domain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every rule of the model document: both edges, and one beyond (spec 1).
func TestParseModelRules(t *testing.T) {
	runChanges(t, validModel, parsers[0].parse, []change{
		{"", `[]`, here},
		{"", `null`, here},
		{"/elements", "", here},
		{"/operations", "", here},
		{"/channels", "", here},
		{"/bindings", "", here},
		{"/subscriptions", "", here},
		{"/bindings", "[]", ""},
		{"/bindings", "null", here},
		{"/version", "1", here},

		{"/bindings/0/id", `"` + idOf(64) + `"`, ""},
		{"/bindings/0/id", `"` + idOf(65) + `"`, here},
		{"/bindings/0/id", `"a"`, ""},
		{"/bindings/0/id", `""`, here},
		{"/bindings/0/id", "", here},
		{"/bindings/0/id", "null", here},
		{"/bindings/0/id", `"0aZ.9_x-Y"`, ""},
		{"/bindings/0/id", `".a"`, here},
		{"/bindings/0/id", `"_a"`, here},
		{"/bindings/0/id", `"-a"`, here},
		{"/bindings/0/id", `"a b"`, here},
		{"/bindings/0/id", `"a/b"`, here},
		{"/bindings/0/id", `"ä"`, here},
		{"/bindings/0/id", `"a\u0000"`, here},
		{"/bindings/0/id", `"b2"`, "/bindings/1/id"},
		{"/bindings/0/id", `"db"`, here},
		{"/bindings/0/id", `"B2"`, ""},

		{"/elements/0/name", "", here},
		{"/elements/0/name", "7", here},
		{"/elements/0/kind", "", here},
		{"/elements/0/kind", `"queue"`, here},
		{"/elements/0/kind", `"external"`, ""},
		{"/elements/0/description", "", ""},
		{"/elements/0/description", "null", here},
		{"/elements/0/color", `"red"`, here},

		{"/operations/0/elementId", `"db"`, here},
		{"/operations/0/elementId", `"bank"`, ""},
		{"/operations/0/elementId", `"none"`, here},
		{"/operations/0/elementId", `"orders"`, here},
		{"/operations/0/elementId", "", here},
		{"/operations/0/name", "", here},
		{"/operations/0/timeoutMs", "0", ""},
		{"/operations/0/timeoutMs", "3600000", ""},
		{"/operations/0/timeoutMs", "3600000.5", here},
		{"/operations/0/timeoutMs", "-0.001", here},
		{"/operations/0/timeoutMs", "", here},
		{"/operations/0/timeoutMs", "null", here},
		{"/operations/0/retry", "", here},
		{"/operations/0/retry", "3", here},
		{"/operations/0/retry/jitter", "1", here},
		{"/operations/0/retry/maxAttempts", "1", ""},
		{"/operations/0/retry/maxAttempts", "10", ""},
		{"/operations/0/retry/maxAttempts", "10.0", ""},
		{"/operations/0/retry/maxAttempts", "0", here},
		{"/operations/0/retry/maxAttempts", "11", here},
		{"/operations/0/retry/maxAttempts", "1.5", here},
		{"/operations/0/retry/maxAttempts", `"3"`, here},
		{"/operations/0/retry/maxAttempts", "", here},
		{"/operations/0/retry/backoffMs", "0", ""},
		{"/operations/0/retry/backoffMs", "3600000", ""},
		{"/operations/0/retry/backoffMs", "3600001", here},
		{"/operations/0/retry/backoffMs", "-1", here},
		{"/operations/0/retry/backoffMs", "", here},

		{"/channels/0/kind", `"queue"`, ""},
		{"/channels/0/kind", `"store"`, here},
		{"/channels/0/kind", "", here},
		{"/channels/0/name", "", here},

		{"/bindings/0/fromChannelId", `"lost"`, ""},
		{"/bindings/0/fromChannelId", `"web"`, here},
		{"/bindings/0/fromChannelId", `"none"`, here},
		{"/bindings/0/toChannelId", `"none"`, here},
		{"/bindings/0/toChannelId", "", here},
		{"/bindings/0/routingKey", "", ""},
		{"/bindings/0/routingKey", `"#"`, ""},
		{"/bindings/0/routingKey", `"*.a.#.b"`, ""},
		{"/bindings/0/routingKey", `""`, here},
		{"/bindings/0/routingKey", `"a..b"`, here},
		{"/bindings/0/routingKey", `"a*"`, here},
		{"/bindings/0/routingKey", `"##"`, here},
		{"/bindings/0/routingKey", `".a"`, here},
		{"/bindings/0/routingKey", "null", here},

		{"/subscriptions/0/channelId", `"none"`, here},
		{"/subscriptions/0/channelId", `"lost"`, ""},
		{"/subscriptions/0/channelId", "", here},
		{"/subscriptions/0/elementId", `"none"`, here},
		{"/subscriptions/0/elementId", `"db"`, ""},
		{"/subscriptions/0/elementId", `"buy"`, here},
		{"/subscriptions/0/name", "", here},
		{"/subscriptions/0/timeoutMs", "5", here},
		{"/subscriptions/0/retry/maxAttempts", "11", here},
		{"/subscriptions/0/retry/backoffMs", "-1", here},
		{"/subscriptions/0/retry", "", here},
		{"/subscriptions/0/deadLetterChannelId", "", ""},
		{"/subscriptions/0/deadLetterChannelId", `"none"`, here},
		{"/subscriptions/0/deadLetterChannelId", `"mail"`, here},
		{"/subscriptions/0/deadLetterChannelId", `""`, here},
	})
}

// 2 000 entries in all, whatever their lists.
func TestParseModelEntries(t *testing.T) {
	const oneElement = `{"elements": [{"id": "e", "name": "e", "kind": "store"}], "operations": [], "channels": [], "bindings": [], "subscriptions": []}`
	channels := func(n int) string { return entries(n, `{"id": "c%d", "name": "c", "kind": "topic"}`) }
	runChanges(t, oneElement, parsers[0].parse, []change{
		{"/channels", channels(MaxModelEntries - 1), ""},
		{"/channels", channels(MaxModelEntries), whole},
		{"/channels", channels(MaxModelEntries + 5), whole},
	})
}

func TestParseModelValues(t *testing.T) {
	m, err := ParseModel([]byte(validModel))
	if err != nil {
		t.Fatal(err)
	}
	want := Model{
		Elements: []Element{
			{ID: "web", Name: "Web", Kind: KindService, Description: "in front"},
			{ID: "db", Name: "Database", Kind: KindStore},
			{ID: "bank", Name: "Bank", Kind: KindExternal},
		},
		Operations: []Operation{
			{ID: "buy", ElementID: "web", Name: "Buy", TimeoutMs: 2000, Retry: Retry{MaxAttempts: 3, BackoffMs: 0.5}},
			{ID: "pay", ElementID: "bank", Name: "Pay", Retry: Retry{MaxAttempts: 1}},
		},
		Channels: []Channel{{ID: "orders", Name: "Orders", Kind: KindTopic}, {ID: "lost", Name: "Lost", Kind: KindQueue}},
		Bindings: []Binding{
			{ID: "b1", FromChannelID: "orders", ToChannelID: "lost", RoutingKey: "order.*.#"},
			{ID: "b2", FromChannelID: "orders", ToChannelID: "lost"},
		},
		Subscriptions: []Subscription{
			{ID: "mail", ChannelID: "orders", ElementID: "web", Name: "Mail", Retry: Retry{MaxAttempts: 10, BackoffMs: 100}, DeadLetterChannelID: "lost"},
			{ID: "print", ChannelID: "lost", ElementID: "web", Name: "Print", Retry: Retry{MaxAttempts: 1}},
		},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
}
