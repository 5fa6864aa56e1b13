/** The small Unix commands, which behave like toybox on Android. */
import { afterAll, describe, expect, it } from 'vitest'
import { testAndroid } from '../../testing/test-android.js'

const phone = testAndroid()
afterAll(() => phone.close())

const cases: readonly (readonly [string, string])[] = [
  ['printf "b 2\\na 1\\nc 10\\n" | sort -k2 -n | cut -d" " -f1 | tr "a-c" "A-C" | xargs', 'A B C\n'],
  [
    'printf "a\\nb\\nab\\n" | grep -n b; printf "a\\nb\\n" | grep -c -v a; echo xay | grep -o "a."',
    '2:b\n3:ab\n1\nay\n',
  ],
  [
    'echo "foo.bar" | grep -F o.b; echo a1 | grep -E "^[[:alpha:]][0-9]+$"; echo no | grep -q yes; echo $?',
    'foo.bar\na1\n1\n',
  ],
  [
    'echo "hello world" | sed "s/o/0/g; s/\\(w\\)\\(0\\)/\\2\\1/"; printf "1\\n2\\n3\\n" | sed -n "2p"; printf "1\\n2\\n" | sed 1d',
    'hell0 0wrld\n2\n2\n',
  ],
  [
    'seq 3 | head -n 2; seq 5 | tail -n 2; seq 3 | tail -n +2; printf abcdef | head -c 3',
    '1\n2\n4\n5\n2\n3\nabc',
  ],
  [
    'printf hello | md5sum; printf hello | sha256sum | cut -c1-8',
    '5d41402abc4b2a76b9719d911017c592  -\n2cf24dba\n',
  ],
  ['printf "hello\\n" | base64; echo aGVsbG8K | base64 -d', 'aGVsbG8K\nhello\n'],
  ['printf "a b\\nc\\n" | wc; printf "\\303\\274" | wc -m', '2 3 6\n1\n'],
  ['printf "a\\na\\nb\\n" | uniq -c', '      2 a\n      1 b\n'],
  [
    'basename /a/b.txt .txt; dirname /a/b.txt; dirname b; realpath /sdcard',
    'b\n/a\n.\n/storage/emulated/0\n',
  ],
  [
    'cd /data/local/tmp; mkdir -p x/y; echo 1 > x/y/f; cp -r x z; mv z/y/f z/g; find z | sort; rm -r x z',
    'z\nz/g\nz/y\n',
  ],
  [
    'cd /data/local/tmp; touch -d @100 f; stat -c "%Y %s %a %U" f; chmod 600 f; stat -c %a f; ls -l f; rm f',
    '100 0 666 shell\n600\n-rw------- 1 shell shell 0 1970-01-01 00:01 f\n',
  ],
  [
    'cd /data/local/tmp; printf 0123456789 | dd bs=2 count=3 2>/dev/null; echo; ln -s /sdcard l; readlink l; rm l',
    '012345\n/sdcard\n',
  ],
  ['cd /data/local/tmp; echo a | tee f; find . -name "f" -type f -exec cat {} \\;; rm f', 'a\na\n'],
  ['whoami; id -u; uname; date -u -d @0', 'shell\n2000\nLinux\nThu Jan  1 00:00:00 UTC 1970\n'],
  [
    'printf "a b c" | xargs -n 1 echo x; printf "1\\n2\\n" | xargs -I{} echo "<{}>"',
    'x a\nx b\nx c\n<1>\n<2>\n',
  ],
]

describe('the small commands', () => {
  for (const [script, out] of cases) {
    it(script, async () => {
      expect(await phone.run(script)).toEqual({ code: 0, out, err: '' })
    })
  }

  it('print the error messages of toybox', async () => {
    expect((await phone.run('cat /nope')).err).toBe('cat: /nope: No such file or directory\n')
    expect((await phone.run('ls /data')).err).toBe('ls: /data: Permission denied\n')
    expect((await phone.run('rm /system/bin/ls')).err).toBe('rm: /system/bin/ls: Permission denied\n')
    expect((await phone.run('mkdir /sdcard')).err).toBe("mkdir: '/sdcard': File exists\n")
    expect((await phone.run('ls -Q')).code).toBe(1)
  })

  it('stops writing when it is killed', async () => {
    await phone.run('dd if=/dev/zero of=/data/local/tmp/z 2>/dev/null & sleep 0.05; kill $!; wait $!')
    const size = phone.android.fs.stat('/data/local/tmp/z').size
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(phone.android.fs.stat('/data/local/tmp/z').size - size).toBeLessThan(8192)
    await phone.run('rm /data/local/tmp/z')
  })

  it('ends when it is killed, and keeps no resources', async () => {
    expect((await phone.run('sleep 60 & kill $!; wait $!; cat /dev/zero | head -c 100000 | wc -c')).out).toBe(
      '100000\n',
    )
    expect(phone.android.processes.list().filter((process) => process.name === 'sleep')).toEqual([])
  })
})
