/** A picture is only drawn of a command that did what it should. */
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { inTerminal } from './pseudo-terminal.js'

const terminal = {
  ...{ columns: 100, cwd: tmpdir(), limitMs: 60_000 },
  env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
}
/** Prints a prompt, and what is typed. */
const prompting = `printf 'one> '; read line; echo "got $line"`

it('types a line at the prompt, in a terminal of that width', async () => {
  expect(await inTerminal(`stty size; ${prompting}`, terminal, { typed: ['hello'] })).toMatch(
    /^50 100\r\n[^]*got hello\r\n$/,
  )
})

it('fails for an exit code that is not expected', async () => {
  await expect(inTerminal('echo no; exit 9', terminal)).rejects.toThrow('ended with 9:\nno')
  expect(await inTerminal('echo no; exit 9', terminal, { exitCode: 9 })).toBe('no\r\n')
  await expect(inTerminal('true', terminal, { exitCode: 9 })).rejects.toThrow('ended with 0')
})

it('fails for a command that ends before all lines are typed', async () => {
  await expect(inTerminal('echo done', terminal, { typed: ['hello'] })).rejects.toThrow(
    'ended before `hello` was typed:\ndone',
  )
  await expect(inTerminal(prompting, terminal, { typed: ['hello', 'again'] })).rejects.toThrow(
    'ended before `again` was typed',
  )
})

it('ends a command that waits without a prompt', async () => {
  await expect(
    inTerminal('echo here; sleep 300', { ...terminal, limitMs: 3000 }, { typed: ['hello'] }),
  ).rejects.toThrow('took more than 3000 ms:\nhere')
})
