/** One reading of a screen. */
import type {
  Changes as ChangesFields,
  Element as ElementFields,
  Observation as ObservationFields,
  RefTarget,
  TextObservation,
  WholeObservation,
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

/**
 * The difference between a screen and an earlier screen. Elements that only moved are omitted: their refs
 * lead to the new place.
 */
export class Changes {
  readonly snapshotId: string
  readonly takenAt: Date
  readonly app: ObservationFields['app']
  /**
   * `added` has all elements, and earlier elements are no longer valid: most of the screen changed, another app or window is in
   * the foreground, or there is no earlier screen.
   */
  readonly isWhole: boolean
  readonly added: readonly Element[]
  /** Elements whose text, description or state changed. */
  readonly changed: readonly Element[]
  /** Refs of elements that are gone. */
  readonly removed: readonly number[]
  /** The changes as lines, for a language model. */
  readonly text: string

  constructor(readonly raw: ChangesFields | WholeObservation | ObservationFields) {
    this.snapshotId = raw.snapshot_id
    this.takenAt = new Date(raw.taken_at)
    this.app = raw.app
    this.isWhole = 'elements' in raw
    const { added, changed, removed } =
      'elements' in raw ? { added: raw.elements, changed: [], removed: [] } : raw
    const withSnapshot = (element: ElementFields): Element => ({ ...element, snapshot_id: raw.snapshot_id })
    this.added = added.map(withSnapshot)
    this.changed = changed.map(withSnapshot)
    this.removed = removed
    this.text = raw.text
  }

  /** Nothing changed. */
  get isSame(): boolean {
    return !this.isWhole && this.added.length + this.changed.length + this.removed.length === 0
  }

  /** The text form. */
  toString(): string {
    return this.text
  }

  toJSON(): ChangesFields | WholeObservation | ObservationFields {
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
