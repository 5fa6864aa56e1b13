/**
 * Keeps the texts that were typed on phones through this replica in the last minutes. In memory only.
 * docs/decisions/0278
 */
import { limits, ownNow } from '@phonerack/shared'
import { createLru } from '../../base/lru.js'
import { createMasker, everything, mostPieces, piecesOf, type Masker } from './redact.js'

const mostPhones = 10_000

interface Typed {
  /** When each piece was last typed, on the process's monotonic clock. */
  pieces: ReadonlyMap<string, number>
  /** Until this time everything is masked, since more texts were typed than are kept. */
  tooManyUntil: number
  /** The masker of `pieces`. Null: not yet created. */
  masker: Masker | null
}

const nothing = createMasker([])

/** Must be used only for phones that admitted a request of their project: other IDs would evict texts. */
export interface TypedTexts {
  /** @param texts may be empty: a text was typed, but it is unknown */
  note(phoneId: string, texts: readonly string[]): void
  /** Whether any text was typed on the phone. */
  has(phoneId: string): boolean
  /** Returns a masker of the texts that were typed on the phone. */
  masker(phoneId: string): Masker
}

export function createTypedTexts(): TypedTexts {
  const phones = createLru<Typed>({ max: mostPhones, ttl: limits.steps.typedLife })
  return {
    note(phoneId, texts) {
      const now = ownNow()
      const before = phones.get(phoneId)
      const known = [...(before?.pieces ?? [])].filter(([, at]) => at > now - limits.steps.typedLife)
      const pieces = new Map(known)
      addPieces(pieces, texts, now)
      const isTooMany = pieces.size > mostPieces
      phones.set(phoneId, {
        pieces: isTooMany ? new Map() : pieces,
        tooManyUntil: isTooMany ? now + limits.steps.typedLife : (before?.tooManyUntil ?? 0),
        masker: null,
      })
    },
    has: (phoneId) => phones.has(phoneId),
    masker(phoneId) {
      const typed = phones.get(phoneId)
      if (!typed) return nothing
      if (ownNow() < typed.tooManyUntil) return everything
      typed.masker ??= createMasker([...typed.pieces.keys()])
      return typed.masker
    },
  }
}

/** Stops as soon as there are more than `mostPieces`. */
function addPieces(pieces: Map<string, number>, texts: readonly string[], at: number): void {
  for (const text of texts)
    for (const piece of piecesOf(text)) {
      pieces.set(piece, at)
      if (pieces.size > mostPieces) return
    }
}
