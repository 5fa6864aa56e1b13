/** The texts that were typed on phones through this replica in the last minutes. In memory only. docs/decisions/0278 */
import { limits, ownNow } from '@phonerack/shared'
import { createLru } from '../base/lru.js'
import { createMasker, type Masker } from './redact.js'

/** Per phone. */
const mostTexts = 50
const mostPhones = 10_000

interface Typed {
  texts: { text: string; at: number }[]
  masker: Masker | null
}

const nothing = createMasker([])

export interface TypedTexts {
  note(phoneId: string, texts: readonly string[]): void
  /** Masks what was typed on the phone. */
  masker(phoneId: string): Masker
}

export function createTypedTexts(): TypedTexts {
  const phones = createLru<Typed>({ max: mostPhones, ttl: limits.steps.typedLife })
  return {
    note(phoneId, texts) {
      if (texts.length === 0) return
      const since = ownNow() - limits.steps.typedLife
      const known = (phones.get(phoneId)?.texts ?? []).filter(({ at }) => at > since)
      const added = texts.map((text) => ({ text, at: ownNow() }))
      phones.set(phoneId, { texts: [...known, ...added].slice(-mostTexts), masker: null })
    },
    masker(phoneId) {
      const typed = phones.get(phoneId)
      if (!typed) return nothing
      typed.masker ??= createMasker(typed.texts.map(({ text }) => text))
      return typed.masker
    },
  }
}
