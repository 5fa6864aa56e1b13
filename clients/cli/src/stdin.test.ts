/** Lines of an input, which may close without an end. */
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { linesOf } from './stdin.js'

const { signal } = new AbortController()

async function linesIn(stdin: Readable): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf({ stdin, signal })) lines.push(line)
  return lines
}

it.each([
  [['one\ntwo\n'], ['one', 'two']],
  [['one\r\n\ntwo'], ['one', '', 'two']],
  [
    ['o', 'ne\r', '\ntw', 'o\n'],
    ['one', 'two'],
  ],
  [['a\rb\n'], ['a\rb']],
  [[], []],
])('splits %j into %j', async (chunks, lines) => {
  expect(await linesIn(Readable.from(chunks))).toEqual(lines)
})

it('joins a character that arrives in two parts', async () => {
  const bytes = Buffer.from('ü\n€')
  expect(await linesIn(Readable.from([...bytes].map((byte) => Buffer.from([byte]))))).toEqual(['ü', '€'])
})

it.each([
  ['fails', new Error('EIO'), 'EIO'],
  ['closes before its end', undefined, 'Premature close'],
])('yields the lines that arrived, and throws when the input %s', async (_how, error, message) => {
  const stdin = new Readable({ read: () => undefined })
  stdin.push('one\ntw')
  const lines = linesOf({ stdin, signal })
  expect(await lines.next()).toEqual({ done: false, value: 'one' })
  stdin.destroy(error)
  await expect(lines.next()).rejects.toThrow(message)
})

it('throws for an input that has failed before the first line is read', async () => {
  const stdin = new Readable({ read: () => undefined })
  stdin.once('error', () => undefined)
  stdin.destroy(new Error('EIO'))
  await new Promise((resolve) => stdin.once('close', resolve))
  await expect(linesOf({ stdin, signal }).next()).rejects.toThrow('EIO')
})
