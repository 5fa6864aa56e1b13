import { describe, expect, it } from 'vitest'
import { mostSimilar } from './similarity.js'

const near = (words: string, names: string[], least?: number): string[] =>
  mostSimilar(words, names, (name) => [name], { count: 3, ...(least === undefined ? {} : { least }) })

describe('mostSimilar', () => {
  it('orders names by their similarity, and leaves out unrelated ones', () => {
    expect(near('wifi', ['Bluetooth', 'Wi\u2011Fi calling', 'Wi\u2011Fi'])).toEqual([
      'Wi\u2011Fi',
      'Wi\u2011Fi calling',
    ])
    expect(near('volumen', ['power', 'volume_up', 'volume_mute', 'volume_down', 'a'])).toEqual([
      ...['volume_up', 'volume_mute', 'volume_down'],
    ])
  })

  it('reads the first characters of a long text only', () => {
    const long = `volume_up ${'x'.repeat(110)}`
    expect(near(long + 'y'.repeat(200_000), ['volume_up', 'power'])).toEqual(
      near(long, ['volume_up', 'power']),
    )
  })

  it('compares single characters, and nothing with nothing', () => {
    expect(near('A', ['a', 'b'])).toEqual(['a'])
    expect(near('', ['', 'a'])).toEqual([])
  })

  it('has a bound below which names are unrelated', () => {
    expect(near('calculator', ['Play Store'])).toEqual(['Play Store'])
    expect(near('calculator', ['Play Store'], 0.5)).toEqual([])
  })
})
