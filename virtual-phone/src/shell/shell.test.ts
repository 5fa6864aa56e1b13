/** The shell's language: scripts with the output of mksh on Android. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { testAndroid } from '../testing/test-android.js'

const phone = testAndroid()
afterAll(() => phone.close())

const cases: readonly (readonly [string, string, number?])[] = [
  ['echo hi', 'hi\n'],
  ['echo "a  b" c\\ d \'e$f\'', 'a  b c d e$f\n'],
  ['x=5; echo $x ${x}y ${y:-none} ${#x}', '5 5y none 1\n'],
  ['x="a b"; for i in $x "$x"; do echo "[$i]"; done', '[a]\n[b]\n[a b]\n'],
  ['f=/a/b.txt; echo ${f##*/} ${f%/*} ${f%.txt} ${f/b/c} ${f:1:2}', 'b.txt /a /a/b /a/c.txt a/\n'],
  ['echo $((1 + 2 * 3)) $((7 / 2)) $((1 << 4)) $((3 > 2 ? 10 : 20)) $((010 + 0x10))', '7 3 16 10 26\n'],
  ['x=1; echo $((x++)) $x $((x += 5)) $x', '1 2 7 7\n'],
  ['echo $(echo a; echo b) `echo c` "$(printf "d\\n\\n")"', 'a b c d\n'],
  ['false || echo no; true && echo yes; ! false; echo $?', 'no\nyes\n0\n'],
  ['(exit 3); echo $?; sh -c "exit 4"; echo $?', '3\n4\n'],
  ['exit 7', '', 7],
  ['nosuch; echo $?', '127\n'],
  ['if false; then echo a; elif true; then echo b; else echo c; fi', 'b\n'],
  ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done', '1\n3\n'],
  ['for i in 1 2 3; do [ $i = 2 ] && break; echo $i; done; echo end', '1\nend\n'],
  ['case foo.txt in *.png) echo p;; *.txt|*.md) echo t;; *) echo o;; esac', 't\n'],
  ['f() { local v=1; echo "$1 $# $v"; return 4; }; f "x y" z; echo $? $v', 'x y 2 1\n4\n'],
  [
    'set -- a "b c"; for i; do echo $i; done; echo "$#" "$@" "$*"; shift; echo $1',
    'a\nb c\n2 a b c a b c\nb c\n',
  ],
  ['cat <<EOF\nv $((1+1)) \\$x\nEOF', 'v 2 $x\n'],
  ["cat <<'EOF'\nv $x\nEOF", 'v $x\n'],
  ['cat <<-EOF\n\tin\n\tEOF', 'in\n'],
  ['cat <<< "word"', 'word\n'],
  ['echo a | tr a b | cat', 'b\n'],
  ['printf "b\\na\\n" | sort | head -n 1', 'a\n'],
  ['yes | head -n 2', 'y\ny\n'],
  ['echo out; echo err >&2', 'out\n'],
  ['echo gone 2>/dev/null >/dev/null; { echo x; echo y >&2; } 2>&1', 'x\ny\n'],
  ['cd /data/local/tmp; echo 1 > f; echo 2 >> f; cat < f; wc -l < f; rm f; ls', '1\n2\n2\n'],
  ['cd /data/local/tmp && touch a1 a2 b1 && echo a* "a*" [ab]1 none*; rm a1 a2 b1', 'a1 a2 a* a1 b1 none*\n'],
  ['printf "a b\\nc d\\n" | while read x y; do echo "$y-$x"; done', 'b-a\nd-c\n'],
  ['IFS=: read a b <<< "1:2:3"; echo "$a|$b|$IFS|" | cat -', '1|2:3| \t\n|\n'],
  ['x=1; (x=2; echo $x); echo $x', '2\n1\n'],
  ['A=7 sh -c \'echo $A\'; echo "[$A]"', '7\n[]\n'],
  ["export B=8; sh -c 'echo $B'; env | grep ^B=", '8\nB=8\n'],
  ['[[ abc == a* && ! -e /nope ]] && echo ok', 'ok\n'],
  ['[ -d /sdcard -a ! -f /sdcard ] && test 3 -gt 2 && echo ok', 'ok\n'],
  [
    'type cd ls; which ls; command -v echo',
    'cd is a shell builtin\nls is /system/bin/ls\n/system/bin/ls\necho\n',
  ],
  ['eval "echo \\"a  b\\""; x=\'y=3\'; eval $x; echo $y', 'a  b\n3\n'],
  ['printf "%s-%03d-%x|" a 7 255 b', 'a-007-ff|b-000-0|'],
  ['set -e; true; false; echo never', '', 1],
  ['echo ${x:?gone}; echo never', '', 1],
  ['sleep 0 & wait; echo $(( $! > 0 ))', '1\n'],
  ["echo $'a\\tb'", 'a\tb\n'],
  ['echo "$(echo "in $(echo deep)")"', 'in deep\n'],
  ['x=; echo "${x:-a "b" c}" ${x-unset} "[${x}]"', 'a b c []\n'],
]

describe('the shell', () => {
  for (const [script, out, code = 0] of cases) {
    it(script, async () => {
      // At the second run, the script's tree is cached.
      for (let time = 0; time < 2; time += 1) {
        const result = await phone.run(script)
        expect(result.out).toBe(out)
        expect(result.code).toBe(code)
      }
    })
  }

  it('reports unknown commands, syntax errors and missing files', async () => {
    expect(await phone.run('foo')).toEqual({
      code: 127,
      out: '',
      err: '/system/bin/sh: foo: inaccessible or not found\n',
    })
    expect((await phone.run('echo "open')).err).toMatch(/syntax error/)
    expect(await phone.run('cat < /nope')).toEqual({
      code: 1,
      out: '',
      err: "/system/bin/sh: can't open /nope: No such file or directory\n",
    })
    expect((await phone.run('echo x > /system/x')).err).toMatch(/can't create \/system\/x: Permission denied/)
  })

  it('refuses a script with an unsupported construct before its first command', async () => {
    for (const hard of ['select x in a; do :; done', 'a=(1 2)', 'echo @(a|b)', 'coproc |&', 'let x=1']) {
      const result = await phone.run(`echo ran > /data/local/tmp/half; ${hard}`)
      expect(result.code).not.toBe(0)
      expect(result.err).not.toBe('')
      expect(phone.android.fs.tryStat('/data/local/tmp/half')).toBeNull()
    }
  })

  it('stops infinite recursion, and yields during an endless loop', async () => {
    expect((await phone.run('f() { f; }; f')).code).not.toBe(0)
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 1)
    const running = phone.run('while true; do :; done & sleep 0.05; kill $!; wait $!; echo done')
    expect((await running).out).toBe('done\n')
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(0)
  })

  it('preserves all bytes except NUL in single quotes', async () => {
    const bytes = fc
      .uint8Array({ maxLength: 60 })
      .map((array) => Buffer.from(array.filter((byte) => byte !== 0)).toString('latin1'))
    await fc.assert(
      fc.asyncProperty(bytes, async (text) => {
        const quoted = `'${text.replaceAll("'", "'\\''")}'`
        const result = await phone.run(`printf '%s' ${quoted}`)
        expect(result).toEqual({ code: 0, out: text, err: '' })
      }),
      { numRuns: 300 },
    )
  })

  it('preserves bytes in variables, pipes and files', async () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 60 })
      .map((array) => Buffer.from(array.filter((b) => b !== 0 && b !== 10)).toString('latin1'))
    await fc.assert(
      fc.asyncProperty(bytes, async (text) => {
        const quoted = `'${text.replaceAll("'", "'\\''")}'`
        const script = `x=${quoted}; printf %s "$x" | cat > /data/local/tmp/p; y=$(cat /data/local/tmp/p); printf %s "$y"`
        expect((await phone.run(script)).out).toBe(text)
      }),
      { numRuns: 100 },
    )
  })
})
