/** The texts that were typed on phones through this replica in the last minutes. In memory only. docs/decisions/0278 */
import { limits, ownNow } from '@phonerack/shared'
import { createLru } from '../../base/lru.js'
import { createMasker, everything, mostPieces, piecesOf, type Masker } from './redact.js'

const mostPhones = 10_000

interface Typed {
  /** By piece: the time at which it was last typed, on the process's own clock. */
  pieces: ReadonlyMap<string, number>
  /** Until then, everything is masked, since more was typed than is kept. */
  tooManyUntil: number
  /** Masks `pieces`. Null: it was not needed yet. */
  masker: Masker | null
}

const nothing = createMasker([])

/** For phones that admitted a request of their project: other IDs would make room by removing texts. */
export interface TypedTexts {
  /** @param texts may be empty: something was typed, and the texts are unknown */
  note(phoneId: string, texts: readonly string[]): void
  /** Whether something was typed on the phone. */
  has(phoneId: string): boolean
  /** Masks what was typed on the phone. */
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

/** Ends as soon as there are more than `mostPieces`. */
function addPieces(pieces: Map<string, number>, texts: readonly string[], at: number): void {
  for (const text of texts)
    for (const piece of piecesOf(text)) {
      pieces.set(piece, at)
      if (pieces.size > mostPieces) return
    }
}
