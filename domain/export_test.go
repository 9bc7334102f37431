package domain

// What only tests ask for: parts of the package under a name of their own.

// Routes is the walk of a message that is published to a channel of the model.
func Routes(m Model, channelID, routingKey string) Walk {
	return NewRouter(m).Walk(channelID, routingKey)
}

// Open is the walk with some channels out: the indexes of the channels that are taken, in their order then.
// closed is asked for bound channels only, by index: a publish to a channel that is out fails before.
// A channel out of reach behind a closed one is taken by another way if there is one.
func (w Walk) Open(closed func(channel int) bool) []int {
	order := []int{0}
	seen := make([]bool, len(w.Channels))
	seen[0] = true
	for i := 0; i < len(order); i++ {
		for _, to := range w.Channels[order[i]].Next {
			if !seen[to] && !closed(to) {
				seen[to] = true
				order = append(order, to)
			}
		}
	}
	return order
}

// TopicMatches reports whether a routing key matches the pattern of a binding by the rules of an AMQP topic
// exchange: * is one word, # is zero or more. An absent pattern is #; an absent key has no words (E64).
func TopicMatches(pattern, routingKey string) bool {
	return newTopicKey(routingKey).matches(patternWords(pattern))
}

// ParseMeasurement reads a whole measurement strictly (spec 4). The error is an *InvalidError with every issue.
func ParseMeasurement(data []byte) (Measurement, error) {
	return parse(data, measurementDocument, readMeasurement, checkMeasurementAt(""))
}
