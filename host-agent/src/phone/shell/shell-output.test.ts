import { limits } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createOutput } from './shell-output.js'

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

const anyCharacter = fc.constantFrom('a', '"', '\\', '\n', '\u0001', '\u007f', 'ä', '中', '\ufffd', '🙂')

function cut(printed: string, most: number): { stdout: string; truncated: boolean } {
  const output = createOutput()
  output.add('stdout', Buffer.from(`1234\n${printed}`))
  return output.texts(most)
}

describe('the output of a command', () => {
  it('is cut to the longest text that fits the limit as JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 40 }),
        fc.integer({ min: 0, max: 200 }),
        (text, most) => {
          const characters = Array.from(Buffer.from(text).toString())
          const { stdout, truncated } = cut(text, most)
          const kept = Array.from(stdout).length
          expect(stdout).toBe(characters.slice(0, kept).join(''))
          expect(kept === 0 || jsonBytes(stdout) <= most).toBe(true)
          expect(truncated).toBe(kept < characters.length)
          if (truncated) expect(jsonBytes(characters.slice(0, kept + 1).join(''))).toBeGreaterThan(most)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is read a few times, also where its first characters take more bytes than the rest', () => {
    const printed = '\u0001'.repeat(20_000) + 'a'.repeat(limits.shell.output - 30_000)
    const stringify = vi.spyOn(JSON, 'stringify')
    try {
      expect(cut(printed, 6 * 20_000 + 2).stdout).toHaveLength(20_000)
      expect(stringify.mock.calls.length).toBeLessThan(10)
    } finally {
      stringify.mockRestore()
    }
  })
})
