package domain

import (
	"strings"
	"unicode/utf8"
)

// ParseBundle reads a bundle strictly. Issues of the profile stand in ProfileIssues, also numbers beyond 2^53 in it;
// all others are an *InvalidError with pointers into the bundle, which then holds what could be read.
func ParseBundle(data []byte) (Bundle, error) {
	rep := &report{code: CodeInvalidBundle}
	var b Bundle
	if root, ok := decode(data, bundleDocument, rep); ok {
		b = readBundle(value{node: root, rep: rep})
	}
	return b, rep.err()
}

func readBundle(v value) Bundle {
	o := v.object("model", "scenario", "profile", "measurements", "objectives")
	b := Bundle{
		Model:    part(o, "model", modelDocument, readModel, checkModelAt("/model")),
		Scenario: readBundleScenario(o),
	}
	b.Profile, b.ProfileIssues = readBundleProfile(o)
	if _, ok := o.find("objectives"); ok {
		b.Objectives = part(o, "objectives", objectivesDocument, readObjectives, checkObjectives)
	}
	if v, ok := o.find("measurements"); ok {
		b.Measurements = readChecked(v, readBundleMeasurements, checkBundleMeasurements)
	}
	return b
}

// part reads a document that is a member of a bundle. Its issues have the code of the document.
func part[T any](o object, name string, doc document, read func(value) T, check func(T) []Issue) (parsed T) {
	v, ok := o.need(name, doc.name)
	if !ok || o.rep.tooLarge(v.at, v.raw, doc) {
		return parsed
	}
	v.rep = &report{code: doc.code}
	parsed = readChecked(v, read, check)
	o.rep.issues = append(o.rep.issues, v.rep.issues...)
	return parsed
}

// readBundleScenario takes null for a scenario that does not exist (E73).
func readBundleScenario(o object) *Scenario {
	if v, ok := o.find("scenario"); ok && v.kind == isNull {
		return nil
	}
	return new(part(o, "scenario", scenarioDocument, readScenario, checkScenario))
}

// readBundleProfile gives the issues pointers into the profile: a run is refused with them (E66).
func readBundleProfile(o object) (Profile, []Issue) {
	v, ok := o.need("profile", profileDocument.name)
	if !ok {
		return Profile{}, nil
	}
	inside := o.rep.takeBelow(v.at)
	v.at, v.rep = "", &report{code: CodeInvalidProfile}
	v.rep.addAll(inside)
	if v.rep.tooLarge("", v.raw, profileDocument) {
		return Profile{}, v.rep.sorted()
	}
	p := readProfile(v)
	readable := len(v.rep.issues) == 0
	v.rep.addChecked("", CheckProfile(p))
	if !readable {
		p = Profile{}
	}
	return p, v.rep.sorted()
}

func readBundleMeasurements(v value) []BundleMeasurement {
	return listOf(v, unlimited, readBundleMeasurement)
}

// readBundleMeasurement reads the doubts of a measurement, or a whole one.
func readBundleMeasurement(v value) BundleMeasurement {
	o := object{value: v}
	_, inDoubt := o.find("inDoubt")
	_, stale := o.find("stale")
	if inDoubt || stale || v.kind != isObject {
		o = v.object("id", "inDoubt", "stale")
		return BundleMeasurement{ID: o.text("id"), InDoubt: o.flag("inDoubt"), Stale: o.flag("stale")}
	}
	rep := &report{code: CodeInvalidMeasurement}
	whole := readChecked(value{node: v.node, at: v.at, rep: rep}, readMeasurement, checkMeasurementAt(v.at))
	v.rep.issues = append(v.rep.issues, rep.issues...)
	return BundleMeasurement{ID: whole.ID, Whole: &whole}
}

// checkBundleMeasurements finds ids that are none, and measurements that stand twice.
func checkBundleMeasurements(measurements []BundleMeasurement) []Issue {
	r := &report{code: CodeInvalidBundle}
	place := func(i int) string { return entry("", i) + "/id" }
	ids := make([]string, len(measurements))
	for i, m := range measurements {
		ids[i] = m.ID
		r.id(place(i), m.ID)
	}
	r.unique(ids, place, func(i int) string { return "/measurements" + place(i) })
	return r.sorted()
}

// ParseObjectives reads the objectives of a scenario strictly, with the same rules as those of a bundle. Whether the
// path of an expression names a number is known only with a result.
func ParseObjectives(data []byte) ([]Objective, error) {
	return parse(data, objectivesDocument, readObjectives, checkObjectives)
}

func readObjectives(v value) []Objective { return listOf(v, unlimited, readObjective) }

func readObjective(v value) Objective {
	o := v.object("name", "expect")
	return Objective{Name: o.text("name"), Expect: o.text("expect")}
}

func checkObjectives(objectives []Objective) []Issue {
	r := &report{code: CodeInvalidObjectives}
	place := func(i int) string { return entry("", i) + "/name" }
	names := make([]string, len(objectives))
	for i, o := range objectives {
		names[i] = o.Name
		r.objectiveName(place(i), o.Name)
		r.expression(entry("", i)+"/expect", o.Expect)
	}
	r.unique(names, place, place)
	return r.sorted()
}

// objectiveName checks what a report and a chart show of an objective.
func (r *report) objectiveName(at, name string) {
	if strings.TrimSpace(name) == "" {
		r.add(at, "must be one line of 1 to %d characters that says what is expected", MaxNameChars)
	}
	r.oneLine(at, name)
}

func (r *report) expression(at, text string) {
	if utf8.RuneCountInString(text) > MaxExpectChars {
		r.add(at, "must be an expression of at most %d characters, such as %q", MaxExpectChars, "flow.p99 < 250ms")
	} else if _, err := ParseExpectation(text); err != nil {
		r.add(at, "must hold an expression: %s", err)
	}
}
