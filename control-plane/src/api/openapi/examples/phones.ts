/** Examples of renting phones: one phone's life, from creation to deletion. */
import type { PhoneJson, SessionJson } from '../../routes/schemas.js'
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const openSession = {
  id: ids.session,
  started_at: '2026-11-21T12:49:18.368Z',
  ready_at: '2026-11-21T12:49:21.023Z',
  idle_timeout: 300,
  max_duration: 900,
  parks_at: '2026-11-21T12:54:21.023Z',
  park_reason: 'idle',
  reserved_usd: '0.900000',
}

export const readyPhone: PhoneJson = {
  id: ids.phone,
  object: 'phone',
  name: 'checkout test',
  status: 'ready',
  country: null,
  on_idle: 'park',
  metadata: { run: '8214' },
  created_at: '2026-11-21T12:49:18.368Z',
  last_active_at: '2026-11-21T12:49:21.023Z',
  session: openSession,
  failure: null,
}

/** A phone that is not ready has only the end of its session. */
const onItsWay = {
  last_active_at: null,
  session: {
    ...openSession,
    ready_at: null,
    parks_at: '2026-11-21T13:04:18.368Z',
    park_reason: 'max_duration',
  },
}
const creating: PhoneJson = { ...readyPhone, ...onItsWay, status: 'creating' }
const atRest: PhoneJson = { ...readyPhone, last_active_at: '2026-11-21T12:49:26.245Z', session: null }
const parked: PhoneJson = { ...atRest, status: 'parked' }
/** After a start, a reboot or a reset, `parks_at` is the session's end. */
export const startingPhone: PhoneJson = {
  ...readyPhone,
  status: 'starting',
  session: { ...openSession, parks_at: '2026-11-21T13:04:18.368Z', park_reason: 'max_duration' },
}
const startedAgain: PhoneJson = {
  ...parked,
  status: 'starting',
  session: {
    ...onItsWay.session,
    started_at: '2026-11-21T13:20:02.511Z',
    parks_at: '2026-11-21T13:35:02.511Z',
  },
}

const running: SessionJson = {
  id: ids.session,
  started_at: '2026-11-21T12:49:18.368Z',
  ready_at: '2026-11-21T12:49:21.023Z',
  ended_at: null,
  end_reason: null,
  billed_seconds: null,
  cost_usd: null,
  reserved_usd: '0.900000',
}
const ended: SessionJson = {
  id: ids.earlierSession,
  started_at: '2026-11-21T11:02:40.017Z',
  ready_at: '2026-11-21T11:02:43.530Z',
  ended_at: '2026-11-21T11:08:12.204Z',
  end_reason: 'idle',
  billed_seconds: 333,
  cost_usd: '0.333000',
  reserved_usd: '0.900000',
}

const sessionBody = one('ten_minutes', 'At most ten minutes, parked after two minutes without a request', {
  idle_timeout: 120,
  max_duration: 600,
})

export const phoneExamples: Record<string, OperationExamples> = {
  createPhone: {
    body: {
      named: {
        summary: 'With a name and metadata',
        value: { name: 'checkout test', metadata: { run: '8214' } },
      },
      at_once: {
        summary: 'In a country, at most ten minutes, without waiting',
        value: { country: 'US', idle_timeout: 120, max_duration: 600, wait: false },
      },
    },
    answers: {
      201: one('ready', 'Ready', readyPhone),
      202: one('creating', 'Not ready yet: poll `GET /v1/phones/{id}?wait=ready`', creating),
    },
  },
  listPhones: { answers: { 200: one('page', 'The last page', { data: [readyPhone], next_cursor: null }) } },
  getPhone: {
    answers: {
      200: {
        ready: { summary: 'Ready', value: readyPhone },
        failed: {
          summary: 'Failed earlier',
          value: {
            ...atRest,
            last_active_at: null,
            status: 'failed',
            failure: {
              code: 'capacity_unavailable',
              message: 'No working device was found.',
              at: '2026-11-21T12:52:18.391Z',
            },
          } satisfies PhoneJson,
        },
      },
    },
  },
  updatePhone: {
    body: one('rename', 'A new name, and empty metadata', { name: 'login test', metadata: {} }),
    answers: { 200: one('renamed', 'Renamed', { ...readyPhone, name: 'login test', metadata: {} }) },
  },
  deletePhone: { answers: { 200: one('deleted', 'Deleted', { ...atRest, status: 'deleted' }) } },
  startPhone: {
    body: sessionBody,
    answers: {
      200: one('ready', 'Ready, or the session was renewed', readyPhone),
      202: one('starting', 'Not ready yet: poll `GET /v1/phones/{id}?wait=ready`', startedAgain),
    },
  },
  parkPhone: {
    body: one('at_once', 'Without waiting', { wait: false }),
    answers: {
      200: one('parked', 'Parked', parked),
      202: one('parking', 'Not parked yet', { ...atRest, status: 'parking' }),
    },
  },
  heartbeatPhone: { answers: { 200: one('ready', 'The idle timer was reset', readyPhone) } },
  listSessions: {
    answers: {
      200: one('page', 'The open session, and one that ended by its idle timeout', {
        data: [running, ended],
        next_cursor: null,
      }),
    },
  },
}
