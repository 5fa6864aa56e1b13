/** A shell on a terminal: its input, and ^D, which ends a read. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runInteractive } from '../shell/session.js'
import { testAndroid, type TestAndroid } from '../testing/test-android.js'
import { Terminal } from './terminal.js'

let phone: TestAndroid
beforeAll(() => {
  phone = testAndroid()
})
afterAll(() => phone.close())

/** Starts a shell on a terminal. `seen` waits until the screen shows a text. */
function shell() {
  let screen = ''
  const terminal = new Terminal(
    {
      write: (chunk) => {
        screen += chunk.toString()
        return Promise.resolve()
      },
    },
    () => undefined,
  )
  const ended = runInteractive(() => '$ ', {
    android: phone.android,
    stdin: terminal.input,
    stdout: terminal.output,
    stderr: terminal.output,
    signal: new AbortController().signal,
    pid: 1,
  })
  const seen = async (text: string): Promise<void> => {
    while (!screen.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { terminal, ended, seen, type: (text: string) => terminal.type(Buffer.from(text)) }
}

it('continues after ^D has ended a program that read the terminal', async () => {
  const { ended, seen, type } = shell()
  await type('cat\r')
  await type('typed\r')
  await seen('typed\r\ntyped\r\n')
  await type('\x04')
  await type('echo af""ter\r')
  await seen('after\r\n')
  await type('cat\rmore\r\x04echo $((6 * 7))\r')
  await seen('42\r\n')
  await type('\x04')
  expect(await ended).toBe(0)
})

it('delivers a line that ^D cuts off to the program immediately', async () => {
  const { ended, seen, type } = shell()
  await type('cat\r')
  await type('half\x04')
  await seen('halfhalf')
  await type('\x04exit 3\r')
  expect(await ended).toBe(3)
})

it('ends with its host', async () => {
  const { terminal, ended, type } = shell()
  await type('cat\r')
  terminal.input.end()
  expect(await ended).toBe(0)
})
