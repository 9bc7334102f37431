package main

import (
	"encoding/xml"
	"os"

	"github.com/proofload/proofload/domain"
)

// junitSuites is the part of JUnit's XML that build servers read.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
}

// writeJUnit writes one test case for each expectation.
func writeJUnit(path, title string, all []judged) error {
	suite := junitSuite{Name: title, Tests: len(all)}
	for _, j := range all {
		c := junitCase{Name: j.name, Class: "proofload"}
		if j.broken() {
			suite.Failures++
			c.Failure = &junitMessage{Message: j.text + ": " + j.verdict(), Type: "objective"}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return writeXML(path, suite)
}

// writeJUnitRefusal writes one test case in error for each issue of a refused run.
func writeJUnitRefusal(path string, refused *domain.RefusedError) error {
	suite := junitSuite{Name: refused.Title, Tests: len(refused.Issues), Errors: len(refused.Issues)}
	for _, issue := range refused.Issues {
		suite.Cases = append(suite.Cases, junitCase{
			Name: issue.Code + " " + issue.Target, Class: "proofload",
			Error: &junitMessage{Message: issue.Message, Type: issue.Code},
		})
	}
	return writeXML(path, suite)
}

func writeXML(path string, suite junitSuite) error {
	data, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte(xml.Header), append(data, '\n')...), 0o644)
}
