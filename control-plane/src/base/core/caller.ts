export const scopes = ['phones:read', 'phones:control', 'phones:create', 'phones:delete'] as const

export type Scope = (typeof scopes)[number]

export const presets = ['agent', 'admin', 'read-only'] as const

export type Preset = (typeof presets)[number]

/**
 * Limits of a key below its preset, from the widest to the narrowest. A request can narrow the profile of its key.
 * docs/decisions/0267, 0268
 */
export const profiles = ['full', 'guarded', 'read-only'] as const

export type Profile = (typeof profiles)[number]

export const pictureModes = ['off', 'asked', 'every'] as const

/** The settings of a project's steps. docs/decisions/0278, 0280 */
export interface StepSettings {
  /** Whether typed text is kept. */
  text: boolean
  /** The pictures that are kept: none, those that a batch asked for, or one with each batch. */
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
  /** The narrower of the key's and the request's. */
  profile: Profile
  /** Limited by preset, phones and profile. */
  scopes: readonly Scope[]
  /** Phones that the key is limited to; null: all of the project's. */
  phoneIds: readonly string[] | null
  /** A user of the console: their changes are not refused while a person controls the phone. Left out: false. */
  isPerson?: boolean
  /** Null or left out: the project records no steps. */
  steps?: StepSettings | null
  /** Aborts when the client of the request has gone. Left out: outside of a request. */
  signal?: AbortSignal
  /**
   * Whether a change of the request may be permanent, in the database or on a phone. While it is false, the client
   * can repeat the request. Left out: outside of a request.
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
  /** The client's cursor. An invalid one causes `validation_failed` naming `cursor`. */
  cursor: string | null
}

export interface Idempotency {
  key: string
  /** Hex SHA-256 of the body in canonical form, without `wait`. */
  bodyHash: string
}

export interface CallContext {
  requestId: string
  /** Aborts when the client has gone. */
  signal: AbortSignal
  /** Left out: the limits of the API apply, and a batch that was sent continues without its client. */
  batch?: BatchLimits
  /** Left out: unknown. */
  sender?: Sender
}

/** The way and the program by which a request came. */
export interface Sender {
  via: 'api' | 'mcp'
  /** The client's `User-Agent`; null: none. */
  client: string | null
}

/** For a client that gives up early: no action of a batch starts that it would not hear of. */
export interface BatchLimits {
  /** Milliseconds after which no action starts. */
  startWithinMs: number
  /** Milliseconds after which the batch is answered with what is known. The action that has started continues. */
  answerWithinMs: number
}
