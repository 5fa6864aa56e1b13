/** One query for many secrets: the cost of wrong secrets, and a broken database. */
import { describe, expect, it } from 'vitest'
import { createSecretLookup } from './secret-lookup.js'

describe('a shared look-up', () => {
  it('queries once for all waiting secrets, and never again for a known one', async () => {
    const asked: string[][] = []
    const lookup = createSecretLookup((hashes) => {
      asked.push(hashes)
      return Promise.resolve(hashes.filter((hash) => hash === 'good'))
    })
    const hashes = Array.from({ length: 500 }, (_, index) => `bad ${index}`)
    const answers = await Promise.all([...hashes, 'good', 'good'].map((hash) => lookup.has(hash)))
    expect(answers.filter(Boolean)).toHaveLength(2)
    expect(asked).toEqual([[...hashes, 'good']])
    await Promise.all([...hashes, 'good'].map((hash) => lookup.has(hash)))
    expect(asked).toHaveLength(1)
    lookup.close()
  })

  it('accepts a cached secret without a query, and forgets it when it was refused', async () => {
    const lookup = createSecretLookup(() => Promise.resolve([]))
    lookup.remember('good', true)
    expect(await lookup.has('good')).toBe(true)
    lookup.remember('good', false)
    expect(await lookup.has('good')).toBe(false)
    lookup.close()
  })

  it('passes on a database error, and queries again later', async () => {
    let isAway = true
    const lookup = createSecretLookup((hashes) =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(hashes),
    )
    await expect(lookup.has('good')).rejects.toThrow('away')
    isAway = false
    expect(await lookup.has('good')).toBe(true)
    lookup.close()
  })

  it('rejects every waiting request once it is closed', async () => {
    const lookup = createSecretLookup(() => Promise.resolve([]))
    const answer = lookup.has('any')
    lookup.close()
    expect(await answer).toBe(false)
  })
})
