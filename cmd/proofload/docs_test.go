package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docsRoot is the repository as the tests of this package see it.
var docsRoot = filepath.Join("..", "..")

// docPage is a Markdown file: its text, and its fenced blocks.
type docPage struct {
	path   string // from the root, with slashes
	prose  string // without the fenced blocks
	blocks []fenced
}

// fenced is a fenced block with the word after the fence.
type fenced struct{ language, text string }

// docPages reads the pages at the root and those under docs, in order of their paths.
func docPages(t *testing.T) []docPage {
	t.Helper()
	paths := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	err := filepath.WalkDir(filepath.Join(docsRoot, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			paths = append(paths, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := make([]docPage, len(paths))
	for i, path := range paths {
		pages[i] = readPage(t, path)
	}
	return pages
}

func readPage(t *testing.T, path string) docPage {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docsRoot, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	p := docPage{path: path}
	var open *fenced
	for line := range strings.Lines(string(data)) {
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &fenced{language: language}
		case fence:
			p.blocks, open = append(p.blocks, *open), nil
		case open != nil:
			open.text += line
		default:
			p.prose += line
		}
	}
	if open != nil {
		t.Errorf("%s: a fenced block is not closed", path)
	}
	return p
}

var (
	linkPattern    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor    = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// links are the relative links of a page: the path from the root, and the anchor.
func (p docPage) links() (links [][2]string) {
	for _, match := range linkPattern.FindAllStringSubmatch(p.prose, -1) {
		target, anchor, _ := strings.Cut(match[1], "#")
		if strings.Contains(target, ":") {
			continue
		}
		if target == "" {
			links = append(links, [2]string{p.path, anchor})
			continue
		}
		links = append(links, [2]string{filepath.ToSlash(filepath.Join(filepath.Dir(p.path), target)), anchor})
	}
	return links
}

// anchors are those that GitHub makes of the headings.
func (p docPage) anchors() (anchors []string) {
	for _, match := range headingPattern.FindAllStringSubmatch(p.prose, -1) {
		plain := notInAnchor.ReplaceAllString(strings.ToLower(match[1]), "")
		anchors = append(anchors, strings.ReplaceAll(plain, " ", "-"))
	}
	return anchors
}

// TestDocsLinks follows every relative link to a file or a folder, and to a heading where it names one.
func TestDocsLinks(t *testing.T) {
	for _, p := range docPages(t) {
		for _, link := range p.links() {
			target, anchor := link[0], link[1]
			if _, err := os.Stat(filepath.Join(docsRoot, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", p.path, target)
				continue
			}
			if anchor != "" && !slices.Contains(readPage(t, target).anchors(), anchor) {
				t.Errorf("%s: %s has no heading #%s", p.path, target, anchor)
			}
		}
	}
}

// TestDocsReachable follows the links from README: each page under docs must be on the way. A link to a folder
// leads to all pages in it.
func TestDocsReachable(t *testing.T) {
	pages := map[string]docPage{}
	for _, p := range docPages(t) {
		pages[p.path] = p
	}
	reached := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if reached[path] {
			return
		}
		reached[path] = true
		for other := range pages {
			if filepath.ToSlash(filepath.Dir(other)) == path {
				visit(other)
			}
		}
		for _, link := range pages[path].links() {
			visit(link[0])
		}
	}
	visit("README.md")
	for path := range pages {
		if strings.HasPrefix(path, "docs/") && !reached[path] {
			t.Errorf("no link leads from README to %s", path)
		}
	}
}
