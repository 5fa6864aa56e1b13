import { ListFilesResponse } from '@phonerack/proto'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { placesOf } from './client.js'
import { hasFewFields } from './few-fields.js'
import { json } from './fields.js'
import { hostAnswers, mostEntries } from './schemas.js'
import { observation } from './screen.js'

/** As on the wire: `count` empty entries. */
const entries = (count: number): Buffer => Buffer.from('0a00'.repeat(count), 'hex')

describe('an answer of a host', () => {
  it('is refused before it is decoded when it holds too many entries', () => {
    expect(ListFilesResponse.decode(entries(3)).entries).toHaveLength(3)
    expect(hasFewFields(entries(10), 10)).toBe(true)
    expect(hasFewFields(entries(11), 10)).toBe(false)
  })

  it.each(['0a', '0a05', '0b', '0affffffffffffffffffffff', '08', '0d00', '0900'])(
    '%s is no message',
    (hex) => {
      expect(hasFewFields(Buffer.from(hex, 'hex'), 10)).toBe(false)
    },
  )

  it('whose list is too long has one fault, and none of its entries is looked at', () => {
    const get = vi.fn(() => '')
    const entry = Object.defineProperty({}, 'name', { get, enumerable: true })
    const list = Array.from({ length: mostEntries + 1 }, () => entry)
    const { error } = hostAnswers.listFiles.safeParse({ entries: list })
    expect(error?.issues.map(({ path, code }) => [path, code])).toEqual([[['entries'], 'too_big']])
    expect(get).not.toHaveBeenCalled()
  })

  it('whose screen has too many elements has few faults', () => {
    const screen = Buffer.from(`{"elements":[${'{},'.repeat(5000)}{}]}`)
    const { error } = json(1_000_000, observation).safeParse(screen)
    expect(error?.issues.map(({ path }) => path.join('.'))).toContain('elements')
    expect(error?.issues.length).toBeLessThanOrEqual(10)
  })

  it('names three faults, and reads the paths of no others', () => {
    const { error } = z.array(z.string()).safeParse(Array.from({ length: 10 }, () => 1))
    if (!error) throw new Error('it fits')
    const path = vi.fn(() => [])
    for (const issue of error.issues.slice(3)) Object.defineProperty(issue, 'path', { get: path })
    expect(placesOf(error)).toBe('0 (invalid_type), 1 (invalid_type), 2 (invalid_type) and 7 more')
    expect(path).not.toHaveBeenCalled()
  })
})
