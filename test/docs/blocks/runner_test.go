// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runner returns a runner whose session is in a directory of the test.
func runner(t *testing.T) *Runner {
	t.Helper()
	session, err := NewSession(t.TempDir(), []string{"PATH=" + os.Getenv("PATH"), "GREETING=hello"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close()) })
	return &Runner{Session: session, Rules: Rules(), Limit: time.Minute, Patience: time.Minute}
}

func script(text string) Block  { return Block{Page: "p.md", Line: 7, Language: Script, Text: text} }
func console(text string) Block { return Block{Page: "p.md", Line: 7, Language: Console, Text: text} }

func TestOneShellForAPage(t *testing.T) {
	r := runner(t)
	for _, b := range []Block{
		script("name=world\nlength() { echo ${#1}; }\nmkdir in\ncd in\n"),
		console("$ echo $GREETING $name > file\n$ cat file\nhello world\n$ length abc\n3\n"),
		script("cat <<EOF > two\n$name\nEOF\ntest -f ../in/two\n"),
		console("$ cat two \\\n    file\nworld\nhello world\n$ printf 'no newline'\nno newline\n"),
	} {
		require.NoError(t, r.Run(t.Context(), b))
	}
}

func TestAScriptEndsWithItsFirstFailure(t *testing.T) {
	r := runner(t)
	err := r.Run(t.Context(), script("echo before\nfalse | cat\necho after\n"))
	require.ErrorIs(t, err, ErrEnded)
	require.EqualError(t, err, "p.md:7: it fails with exit status 1: nothing below it was run\n  | echo before\n  | false | cat\n  "+
		"| echo after\nIt printed\n  | before")
	require.ErrorIs(t, r.Run(t.Context(), script("true\n")), ErrEnded)
}

func TestWhatACommandSays(t *testing.T) {
	r := runner(t)
	err := r.Run(t.Context(), console("$ echo a\nb\n$ false\n$ echo c\nc\n$ echo 'error: no'\nerror: no\n"))
	require.ErrorContains(t, err, "p.md:7: the page shows\n  | b\nand this was printed\n  | a\n")
	require.ErrorContains(t, err, "p.md:9: it fails with exit status 1; it printed\n  | \n  | $ false")
	require.ErrorContains(t, err, "p.md:12: by the page it fails, and it did not")
	require.NotContains(t, err.Error(), "p.md:10")
	require.NoError(t, r.Run(t.Context(), console("$ echo 'error: no' >&2; false\nerror: no\n")))
	require.NoError(t, r.Run(t.Context(), Block{Language: Console, Fails: []int{2}, Text: "$ true\n$ false\n"}))
	varies := Block{Language: Console, Varies: "it is the time", Text: "$ echo a\nb\n"}
	require.NoError(t, r.Run(t.Context(), varies))
	varies.Text = "$ false\n"
	require.Error(t, r.Run(t.Context(), varies))
	require.ErrorIs(t, r.Run(t.Context(), console("$ exit 3\n$ true\n")), ErrEnded)
}

func TestWhatIsNotRun(t *testing.T) {
	r := runner(t)
	for _, b := range []Block{{Language: "yaml", Text: "exit 1"}, {Language: Script, NotRun: "it would fail", Text: "exit 1"}} {
		require.NoError(t, r.Run(t.Context(), b))
	}
	require.NoError(t, r.Run(t.Context(), script("true\n")))
}

// TestWhoOnlyLooksLooksAgain replaces kubectl by a function that counts its calls.
func TestWhoOnlyLooksLooksAgain(t *testing.T) {
	r := runner(t)
	require.NoError(t, r.Run(t.Context(), script("kubectl() { echo >>asked; wc -l <asked; }\n")))
	require.NoError(t, r.Run(t.Context(), console("$ kubectl get pods\n3\n")))
	require.Error(t, r.Run(t.Context(), console("$ kubectl delete pods\n9\n")))
	r.Patience = 0
	require.Error(t, r.Run(t.Context(), console("$ kubectl get pods\n9\n")))
}

func TestWhatTakesTooLongIsEnded(t *testing.T) {
	r := runner(t)
	r.Limit = 100 * time.Millisecond
	started := time.Now()
	err := r.Run(t.Context(), script("echo begun\nsleep 60\n"))
	require.ErrorIs(t, err, ErrEnded)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "p.md:7: it has not ended after 100ms")
	require.ErrorContains(t, err, "| begun")
	assert.Less(t, time.Since(started), 30*time.Second)
}

func TestTheBackgroundEndsWithTheSession(t *testing.T) {
	session, err := NewSession(t.TempDir(), []string{"PATH=" + os.Getenv("PATH")})
	require.NoError(t, err)
	r := &Runner{Session: session, Limit: time.Minute}
	file := filepath.Join(t.TempDir(), "pid")
	require.NoError(t, r.Run(t.Context(), script("sleep 600 &\necho $! >"+file+"\n")))
	pid, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, session.Close())
	require.Eventually(t, func() bool {
		status, err := os.ReadFile(filepath.Join("/proc", string(pid[:len(pid)-1]), "stat"))
		return err != nil || len(status) == 0
	}, 20*time.Second, 10*time.Millisecond)
}
