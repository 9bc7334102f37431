package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDocumentBytes bounds a file that the command line reads whole.
const maxDocumentBytes = 16 << 20

// document is a file as the domain reads it: JSON, with the line of each place in the file.
type document struct {
	path  string
	json  []byte
	lines map[jsontext.Pointer]int
}

// readDocument reads a JSON or YAML file; "-" is standard input. YAML becomes JSON here, the domain reads JSON only.
func readDocument(path string, stdin io.Reader) (document, error) {
	data, err := readAll(path, stdin)
	if err != nil {
		return document{}, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if looksLikeJSON(data) {
		return document{path: path, json: data, lines: jsonLines(data)}, nil
	}
	converted, lines, err := yamlToJSON(data)
	if err != nil {
		return document{}, &unreadableError{path, err}
	}
	return document{path: path, json: converted, lines: lines}, nil
}

func readAll(path string, stdin io.Reader) ([]byte, error) {
	source := stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		source = file
	}
	data, err := io.ReadAll(io.LimitReader(source, maxDocumentBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(data) > maxDocumentBytes {
		return nil, fmt.Errorf("%s: larger than %d MB", path, maxDocumentBytes>>20)
	}
	return data, nil
}

func looksLikeJSON(data []byte) bool {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
}

// line is the line of a JSON Pointer, or of the nearest place above it that stands in the file.
func (d document) line(pointer string) int {
	for {
		if line, ok := d.lines[jsontext.Pointer(pointer)]; ok {
			return line
		}
		cut := strings.LastIndexByte(pointer, '/')
		if cut < 0 {
			return 1
		}
		pointer = pointer[:cut]
	}
}

// jsonLines maps each place of a JSON text to its line, as far as the text can be read.
func jsonLines(data []byte) map[jsontext.Pointer]int {
	lines := map[jsontext.Pointer]int{}
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	line, counted := 1, 0
	for {
		_, err := dec.ReadToken()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				lines[dec.StackPointer()] = line
			}
			return lines
		}
		end := int(dec.InputOffset())
		line += bytes.Count(data[counted:end], []byte("\n"))
		counted = end
		if _, seen := lines[dec.StackPointer()]; !seen {
			lines[dec.StackPointer()] = line
		}
	}
}
