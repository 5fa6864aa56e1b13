export const scopes = ['phones:read', 'phones:control', 'phones:create', 'phones:delete'] as const

export type Scope = (typeof scopes)[number]

export const presets = ['agent', 'admin', 'read-only'] as const

export type Preset = (typeof presets)[number]

/**
 * Limits of a key in addition to its preset, from the widest to the narrowest. A request can narrow the profile of its
 * key. docs/decisions/0267, 0268
 */
export const profiles = ['full', 'guarded', 'read-only'] as const

export type Profile = (typeof profiles)[number]

export const pictureModes = ['off', 'asked', 'every'] as const

/** The settings of a project's steps. docs/decisions/0278, 0280 */
export interface StepSettings {
  /** Whether steps keep typed text. */
  text: boolean
  /**
   * The screenshots that steps keep: none, only screenshots that a batch requested, or one for each batch.
   */
  pictures: (typeof pictureModes)[number]
}

/** The caller of a request: an authenticated key. */
export interface Caller {
  keyId: string
  keyHash: string
  projectId: string
  /** The owner of the project. */
  ownerId: string
  preset: Preset
  /** The narrower profile of the key's and the request's. */
  profile: Profile
  /** The scopes that preset, phones and profile leave. */
  scopes: readonly Scope[]
  /** The phones to which the key is limited; null: all phones of the project. */
  phoneIds: readonly string[] | null
  /** Whether the project allows shell commands on its phones. If omitted: false. docs/decisions/0320 */
  hasShell?: boolean
  /** A user of the console, whose changes are accepted while a person controls the phone. If omitted: false. */
  isPerson?: boolean
  /** Null or omitted: the project records no steps. */
  steps?: StepSettings | null
  /** Aborts when the client closes the request. Omitted outside of a request. */
  signal?: AbortSignal
  /**
   * Whether a change of the request may be permanent, in the database or on a phone. While it is false, the client can
   * repeat the request. Omitted outside of a request.
   */
  effects?: { mayHaveBegun: boolean }
}

export interface Page<T> {
  data: T[]
  /** Opaque to clients; null on the last page. */
  nextCursor: string | null
}

export interface PageQuery {
  limit: number
  /** The client's cursor. An invalid cursor causes `validation_failed` naming `cursor`. */
  cursor: string | null
}

export interface Idempotency {
  key: string
  /** Hex SHA-256 of the body in canonical form, without `wait`. */
  bodyHash: string
}

export interface CallContext {
  requestId: string
  /** Aborts when the client closes the request. */
  signal: AbortSignal
  /** If omitted, the limits of the API apply, and a batch that was sent continues without its client. */
  batch?: BatchLimits
  /** If omitted, the sender is unknown. */
  sender?: Sender
}

/** The interface and the program that sent a request. */
export interface Sender {
  via: 'api' | 'mcp'
  /** The client's `User-Agent`; null if it sent none. */
  client: string | null
}

/** Limits for a client that gives up early: no action of a batch starts whose result the client would not receive. */
export interface BatchLimits {
  /** Milliseconds after which no action starts. */
  startWithinMs: number
  /** Milliseconds after which the batch is answered with the results so far. The action that has started continues. */
  answerWithinMs: number
}
