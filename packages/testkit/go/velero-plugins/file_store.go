package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
)

// fileStore keeps each object as a file: <config root>/<bucket>/<key>.
type fileStore struct {
	log  logrus.FieldLogger
	root string
}

func newFileStore(log logrus.FieldLogger) *fileStore { return &fileStore{log: log} }

func (s *fileStore) Init(config map[string]string) error {
	s.root = config["root"]
	if s.root == "" {
		return fmt.Errorf("the location's config needs a root, the folder of its buckets")
	}
	return nil
}

func (s *fileStore) path(bucket, key string) string {
	return filepath.Join(s.root, bucket, filepath.FromSlash(key))
}

// PutObject writes beside the target and renames, so that a reader never sees half an object.
func (s *fileStore) PutObject(bucket, key string, body io.Reader) error {
	target := s.path(bucket, key)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(s.root, ".put-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := io.Copy(file, body); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), target)
}

func (s *fileStore) ObjectExists(bucket, key string) (bool, error) {
	info, err := os.Stat(s.path(bucket, key))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil && !info.IsDir(), err
}

func (s *fileStore) GetObject(bucket, key string) (io.ReadCloser, error) {
	if exists, err := s.ObjectExists(bucket, key); err != nil || !exists {
		return nil, fmt.Errorf("object %s not found: %v", key, err)
	}
	return os.Open(s.path(bucket, key))
}

func (s *fileStore) ListObjects(bucket, prefix string) ([]string, error) {
	keys := []string{}
	base := filepath.Join(s.root, bucket)
	err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		key := filepath.ToSlash(strings.TrimPrefix(path, base+string(filepath.Separator)))
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
		return nil
	})
	sort.Strings(keys)
	return keys, err
}

func (s *fileStore) ListCommonPrefixes(bucket, prefix, delimiter string) ([]string, error) {
	keys, err := s.ListObjects(bucket, prefix)
	if err != nil {
		return nil, err
	}
	prefixes := []string{}
	for _, key := range keys {
		head, _, found := strings.Cut(key[len(prefix):], delimiter)
		next := prefix + head + delimiter
		if found && (len(prefixes) == 0 || prefixes[len(prefixes)-1] != next) {
			prefixes = append(prefixes, next)
		}
	}
	return prefixes, nil
}

// DeleteObject also removes the folders that become empty: a folder without objects must not look like a backup.
func (s *fileStore) DeleteObject(bucket, key string) error {
	path := s.path(bucket, key)
	if exists, err := s.ObjectExists(bucket, key); err != nil || !exists {
		return err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	stop := filepath.Join(s.root, bucket)
	for dir := filepath.Dir(path); len(dir) > len(stop); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break
		}
	}
	return nil
}

func (s *fileStore) CreateSignedURL(bucket, key string, _ time.Duration) (string, error) {
	return "file://" + filepath.ToSlash(s.path(bucket, key)), nil
}
