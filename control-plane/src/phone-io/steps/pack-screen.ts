/**
 * Packs an observation for storage: without its picture, as if the client had not asked for changes, and with typed text masked.
 * Pure.
 */
import { type Observation } from '@phonerack/shared'
import { pack } from './pack.js'
import { type Masker } from './redact.js'
import { maskObservation } from './redact-screen.js'
import { type NewScreen } from './rows.js'

export interface PackedScreen {
  screen: NewScreen
  /** Whether anything was masked. */
  isMasked: boolean
}

/** What a client got: with `since` and `whole` when it had asked for changes and got the whole screen. */
type Answered = Partial<Observation> & { since?: unknown; whole?: unknown }

/** The name of the first field in the agent's observation. */
const snapshot = /^\{"snapshot_id":"(snp_[a-z2-7]{12})"/
/** The number of characters that are searched for the snapshot ID. */
const head = 100

/**
 * @param json of an observation, or the observation
 * @param masker null: typed text is kept
 * @returns null for an observation without elements, from which no screen could be drawn
 */
export function packScreen(
  json: Uint8Array | Observation,
  at: Date,
  masker: Masker | null,
): PackedScreen | null {
  if (json instanceof Uint8Array) {
    const plain = unchanged(json, at, masker)
    if (plain) return { screen: plain, isMasked: false }
  }
  const parsed: Answered =
    json instanceof Uint8Array ? (JSON.parse(Buffer.from(json).toString('utf8')) as Answered) : json
  const observation = screenOf(parsed)
  if (!isWhole(observation)) return null
  const { observation: kept, isMasked } = masker
    ? maskObservation(observation, masker)
    : { observation, isMasked: false }
  const text = Buffer.from(JSON.stringify(kept))
  return { screen: { id: kept.snapshot_id, at, body: pack(text), jsonBytes: text.length }, isMasked }
}

function screenOf({ screenshot: _, since: _since, whole, ...observation }: Answered): Partial<Observation> {
  const { text } = observation
  return whole && text !== undefined ? { ...observation, text: text.replace(wholeLine, '$1') } : observation
}

/** The line below the first three lines of the text. */
const wholeLine = /^((?:.*\n){2}.*)\nwhole screen$/m

const isWhole = (observation: Partial<Observation>): observation is Observation =>
  observation.snapshot_id !== undefined && observation.elements !== undefined

/** Most screens need no change, and parsing costs as much as the other work together. */
function unchanged(json: Uint8Array, at: Date, masker: Masker | null): NewScreen | null {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  const id = snapshot.exec(bytes.toString('latin1', 0, head))?.[1]
  if (id === undefined || !bytes.includes('"elements":[') || hasMore(bytes)) return null
  const mayHaveTyped =
    masker !== null && (!masker.isEmpty || bytes.includes('"editable"') || bytes.includes('"password"'))
  return mayHaveTyped ? null : { id, at, body: pack(bytes), jsonBytes: bytes.length }
}

/** Whether the observation may contain fields that are not stored. */
const hasMore = (bytes: Buffer): boolean => bytes.includes('"screenshot":{') || bytes.includes('"whole":true')
