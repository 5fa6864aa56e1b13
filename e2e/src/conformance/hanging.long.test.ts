/**
 * Every request into a phone that never answers, through `/v1`: the request ends, and no write is sent twice.
 */
import { expect, inject, it } from 'vitest'
import { errorOf } from '../system/api.js'
import { eventually } from '../system/tenant.js'
import { rent, within } from './rented.js'

/** Milliseconds for which a client waits for an answer, as the specification advises. */
const patience = 130_000
const file = '/files?path=%2Fsdcard%2Fa'
const requests: readonly [string, string, unknown?][] = [
  ['GET', '/observe'],
  ['GET', '/screenshot'],
  ['POST', '/actions', { actions: [{ type: 'tap', target: { text: 'Settings' } }] }],
  ['GET', '/apps'],
  ['DELETE', '/apps/org.example.none'],
  ['GET', '/files'],
  ['PUT', file, 'content'],
  ['GET', file.replace('?', '/content?')],
  ['DELETE', file],
  ['GET', '/device'],
  ['GET', '/clipboard'],
  ['PUT', '/clipboard', { text: 'x' }],
  ['GET', '/location'],
  ['PUT', '/location', { lat: 1, lng: 1 }],
  ['DELETE', '/location'],
  ['GET', '/locale'],
  ['PUT', '/locale', { locale: 'de-DE' }],
  ['GET', '/timezone'],
  ['PUT', '/timezone', { timezone: 'Asia/Tokyo' }],
]
/** The errors for a call that could not run, did not run, or has an unknown outcome. */
const honest = [
  ...['phone_unavailable', 'provider_error', 'provider_timeout', 'action_outcome_unknown', 'rate_limited'],
  ...['feature_unavailable', 'clipboard_unavailable'],
]

it.each([
  ['with the fast way', () => inject('system')],
  ['without it', () => inject('bare')],
])(
  'a phone %s that never answers keeps no request waiting, and gets no write twice [39.1]',
  async (_name, system) => {
    const phone = await rent(system())
    const before = await phone.faults.counters()
    await phone.faults.hangEvery(1)
    try {
      const answers = await within(
        patience,
        Promise.all(
          requests.map(async ([method, part, body]) => ({
            name: `${method} ${part}`,
            answer: await phone.api.request(
              method,
              `${phone.path}${part}`,
              body === undefined ? {} : { body },
            ),
          })),
        ),
      )
      for (const { name, answer } of answers)
        if (answer.status >= 400)
          expect(honest, `${name} ${JSON.stringify(answer.body)}`).toContain(errorOf(answer).code)
      // A call that needs a new stream cannot have run.
      expect(answers.filter(({ answer }) => answer.status >= 400).length).toBeGreaterThan(requests.length / 2)
    } finally {
      await phone.faults.heal()
    }
    await eventually('the phone to be back', 120_000, async () => {
      const answer = await phone.api.get(`${phone.path}/observe`)
      // On a loaded machine the phone is silent for longer, and its host restarts it, which ends the session.
      if (answer.status === 409) await phone.api.post(`${phone.path}/start`)
      return answer.status === 200
    })
    const after = await phone.faults.counters()
    const sent = (name: string) => (after.commands[name] ?? 0) - (before.commands[name] ?? 0)
    expect(sent('cmd alarm set-timezone')).toBeLessThanOrEqual(1)
    expect(after.uninstalls - before.uninstalls).toBeLessThanOrEqual(1)
    expect(after.touches - before.touches).toBeLessThanOrEqual(1)
    const pushed = Object.entries(after.pushes).filter(([name]) => name.endsWith('.part'))
    expect(pushed.filter(([, count]) => count > 1)).toEqual([])
    await phone.api.delete(phone.path)
  },
  400_000,
)
