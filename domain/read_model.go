package domain

// ParseModel reads a model document strictly (spec 1, Model document). The error is an *InvalidError with
// every issue and its JSON Pointer.
func ParseModel(data []byte) (Model, error) {
	return parse(data, modelDocument, readModel, checkModelAt(""))
}

func readModel(v value) Model {
	o := v.object("elements", "operations", "channels", "bindings", "subscriptions")
	return Model{
		Elements:      list(o, "elements", MaxModelEntries, readElement),
		Operations:    list(o, "operations", MaxModelEntries, readOperation),
		Channels:      list(o, "channels", MaxModelEntries, readChannel),
		Bindings:      list(o, "bindings", MaxModelEntries, readBinding),
		Subscriptions: list(o, "subscriptions", MaxModelEntries, readSubscription),
	}
}

func readElement(v value) Element {
	o := v.object("id", "name", "kind", "description")
	return Element{ID: o.text("id"), Name: o.text("name"), Kind: o.text("kind"), Description: o.optionalText("description")}
}

func readOperation(v value) Operation {
	o := v.object("id", "elementId", "name", "timeoutMs", "retry")
	return Operation{
		ID: o.text("id"), ElementID: o.text("elementId"), Name: o.text("name"),
		TimeoutMs: o.number("timeoutMs"), Retry: member(o, "retry", readRetry),
	}
}

func readRetry(v value) Retry {
	o := v.object("maxAttempts", "backoffMs")
	return Retry{MaxAttempts: o.whole("maxAttempts"), BackoffMs: o.number("backoffMs")}
}

func readChannel(v value) Channel {
	o := v.object("id", "name", "kind")
	return Channel{ID: o.text("id"), Name: o.text("name"), Kind: o.text("kind")}
}

func readBinding(v value) Binding {
	o := v.object("id", "fromChannelId", "toChannelId", "routingKey")
	return Binding{
		ID: o.text("id"), FromChannelID: o.text("fromChannelId"), ToChannelID: o.text("toChannelId"),
		RoutingKey: o.optionalWord("routingKey"),
	}
}

func readSubscription(v value) Subscription {
	o := v.object("id", "channelId", "elementId", "name", "retry", "deadLetterChannelId")
	return Subscription{
		ID: o.text("id"), ChannelID: o.text("channelId"), ElementID: o.text("elementId"), Name: o.text("name"),
		Retry: member(o, "retry", readRetry), DeadLetterChannelID: o.optionalWord("deadLetterChannelId"),
	}
}
