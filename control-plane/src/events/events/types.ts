import { type Caller, type Page, type PageQuery } from '../../base/core/caller.js'

/** The types of events. Clients must accept further types. */
export const eventTypes = [
  'phone.created',
  'phone.ready',
  'phone.parked',
  'phone.failed',
  'phone.unavailable',
  'phone.expiring',
  'phone.deleted',
  'session.started',
  'session.ended',
  'balance.low',
  'install.succeeded',
  'install.failed',
  'upload.ready',
  'upload.failed',
  'recording.ready',
  'recording.failed',
  'handoff.created',
  'handoff.taken',
  'handoff.done',
  'handoff.declined',
  'handoff.cancelled',
  'handoff.expired',
  'app.crashed',
  'notification.posted',
  'webhook.disabled',
] as const

export type EventType = (typeof eventTypes)[number]

/**
 * The type of the event that `POST /v1/webhooks/{id}/test` sends. Only that webhook gets the event, and the list omits
 * it.
 */
export const testEventType = 'webhook.test'

/** One object under the name of its kind, such as `phone`, or `crash` for `app.crashed`. */
export type EventData = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** An event in the form that clients see: in lists, in streams, and in the bodies of webhooks. */
export interface EventJson {
  id: string
  object: 'event'
  type: string
  created_at: string
  phone_id: string | null
  data: EventData
}

export interface EventFilter {
  type: EventType | null
  phoneId: string | null
}

/** One item of a stream. */
export type StreamItem =
  | { kind: 'event'; event: EventJson }
  /** The events after `lastEventId` have expired. The kept events follow. */
  | { kind: 'gap'; lastEventId: string }
  /** The position of the stream, for a client that has received no event yet, or none for a long time. */
  | { kind: 'position'; id: string }
  /** No event happened for a while. */
  | { kind: 'idle' }

/** One item of a stream about several projects. */
export type ProjectsItem =
  /** Events happened in these projects. `id`: the position of the stream. */
  | { kind: 'change'; id: string; projectIds: readonly string[] }
  | Extract<StreamItem, { kind: 'position' | 'idle' }>

/** A user who follows several projects. */
export interface Follower {
  userId: string
  /** Called before each read, so that a project that the user has left is not named. */
  projectIds: () => Promise<readonly string[]>
}

/** Changes of the project's phones, sessions, uploads and credit. A key limited to phones sees events of these phones only. */
export interface EventService {
  /**
   * Lists events, newest first. @throws ApiError phone_not_found, phone_not_allowed, and validation_failed for a cursor
   * of another list
   */
  list(caller: Caller, filter: EventFilter, query: PageQuery): Promise<Page<EventJson>>
  /**
   * Yields new events, oldest first, until `signal` aborts. @param lastEventId the ID of an event or position after
   * which the stream begins; null: begin now @throws ApiError phone_not_found, phone_not_allowed, and validation_failed
   * for an ID in another form
   */
  stream(
    caller: Caller,
    filter: EventFilter,
    lastEventId: string | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamItem>>
  /**
   * Yields the IDs of projects in which events happened, until `signal` aborts. @param lastEventId the ID of a position
   * after which the stream begins; null: begin now. For an unknown ID, the first item names all projects. @throws
   * ApiError validation_failed for an ID in another form
   */
  streamOfProjects(
    follower: Follower,
    lastEventId: string | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<ProjectsItem>>
}
