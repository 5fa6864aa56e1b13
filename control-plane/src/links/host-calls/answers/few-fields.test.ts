import { ListFilesResponse } from '@phonerack/proto'
import { limits } from '@phonerack/shared'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { placesOf } from './client.js'
import { hasFewFields } from './few-fields.js'
import { json } from './fields.js'
import { hostAnswers, maxEntries } from './schemas.js'
import { observation } from './screen.js'
import { observationJson } from '../../../testing/agent-double.js'

/** Encodes `count` empty entries as protobuf. */
const entries = (count: number): Buffer => Buffer.from('0a00'.repeat(count), 'hex')

describe("a host's response", () => {
  it('is refused before it is decoded when it has too many entries', () => {
    expect(ListFilesResponse.decode(entries(3)).entries).toHaveLength(3)
    expect(hasFewFields(entries(10), 10)).toBe(true)
    expect(hasFewFields(entries(11), 10)).toBe(false)
  })

  it.each(['0a', '0a05', '0b', '0affffffffffffffffffffff', '08', '0d00', '0900'])(
    '%s is not a message',
    (hex) => {
      expect(hasFewFields(Buffer.from(hex, 'hex'), 10)).toBe(false)
    },
  )

  it('has one issue when its list is too long, and its entries are not read', () => {
    const get = vi.fn(() => '')
    const entry = Object.defineProperty({}, 'name', { get, enumerable: true })
    const list = Array.from({ length: maxEntries + 1 }, () => entry)
    const { error } = hostAnswers.listFiles.safeParse({ entries: list })
    expect(error?.issues.map(({ path, code }) => [path, code])).toEqual([[['entries'], 'too_big']])
    expect(get).not.toHaveBeenCalled()
  })

  describe('with a screen', () => {
    const faultsOf = (elements: string): string[] | undefined => {
      const screen = Buffer.from(
        observationJson().toString().replace('"elements":[]', `"elements":${elements}`),
      )
      return json(1_000_000, observation)
        .safeParse(screen)
        .error?.issues.map(({ path }) => path.join('.'))
    }

    it('is valid when the list of elements is empty', () => {
      expect(faultsOf('[]')).toBeUndefined()
    })

    it('has one issue when there are too many elements of any kind', () => {
      expect(faultsOf(`[${'{},'.repeat(limits.elements.max)}{}]`)).toEqual(['elements'])
    })

    it('has ten issues when every element is invalid', () => {
      const faults = faultsOf(`[${'{},'.repeat(limits.elements.max - 1)}{}]`)
      expect(faults).toHaveLength(10)
      for (const path of faults ?? []) expect(path).toMatch(/^elements\.\d+\./)
    })
  })

  it('names three issues, and reads the paths of no others', () => {
    const { error } = z.array(z.string()).safeParse(Array.from({ length: 10 }, () => 1))
    if (!error) throw new Error('it fits')
    const path = vi.fn(() => [])
    for (const issue of error.issues.slice(3)) Object.defineProperty(issue, 'path', { get: path })
    expect(placesOf(error)).toBe('0 (invalid_type), 1 (invalid_type), 2 (invalid_type) and 7 more')
    expect(path).not.toHaveBeenCalled()
  })
})
