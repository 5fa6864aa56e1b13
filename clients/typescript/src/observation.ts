/** One reading of a screen. */
import type {
  Element as ElementFields,
  Observation as ObservationFields,
  RefTarget,
  TextObservation,
} from './generated/types.gen.js'

/** A search for elements; all given fields must match. */
export interface Query {
  /** The whole text; a RegExp: a part of it. */
  text?: string | RegExp
  desc?: string | RegExp
  /** The full id, `com.example:id/name`, or its last part. */
  id?: string
  /** Such as `Button` or `EditText`. */
  type?: string
}

/** An element, which can be the target of an action while the screen shows it. */
export interface Element extends ElementFields, RefTarget {}

/** A copy of the API's observation with methods. JSON.stringify gives the API's form. */
export class Observation {
  readonly snapshotId: string
  readonly takenAt: Date
  readonly app: ObservationFields['app']
  readonly keyboard: ObservationFields['keyboard']
  readonly screen: ObservationFields['screen']
  /** Empty with `observe: 'text'`: the answer then describes elements only as lines of `text`. */
  readonly elements: readonly Element[]
  /** True: the screen has more elements than the API returns. */
  readonly truncated: boolean
  /** The screen as numbered lines, for a language model. */
  readonly text: string

  constructor(readonly raw: ObservationFields | TextObservation) {
    this.snapshotId = raw.snapshot_id
    this.takenAt = new Date(raw.taken_at)
    this.app = raw.app
    this.keyboard = raw.keyboard
    this.screen = raw.screen
    const elements = 'elements' in raw ? raw.elements : []
    this.elements = elements.map((element) => ({ ...element, snapshot_id: raw.snapshot_id }))
    this.truncated = raw.truncated
    this.text = raw.text
  }

  /** The first element that matches; null: none does. */
  find(query: Query): Element | null {
    return this.elements.find((element) => matches(element, query)) ?? null
  }

  findAll(query: Query): Element[] {
    return this.elements.filter((element) => matches(element, query))
  }

  /** The text form. */
  toString(): string {
    return this.text
  }

  toJSON(): ObservationFields | TextObservation {
    return this.raw
  }
}

function matches(element: ElementFields, { text, desc, id, type }: Query): boolean {
  return (
    (text === undefined || isLike(element.text, text)) &&
    (desc === undefined || isLike(element.desc, desc)) &&
    (id === undefined || element.id === id || (element.id?.endsWith(`/${id}`) ?? false)) &&
    (type === undefined || element.type === type)
  )
}

function isLike(value: string | null, wanted: string | RegExp): boolean {
  if (value === null) return false
  // A RegExp with the flag `g` would continue after its last match.
  return typeof wanted === 'string'
    ? value === wanted
    : new RegExp(wanted.source, wanted.flags.replace('g', '')).test(value)
}
