/**
 * Follows every `next` of the API from a real refusal: sends the requests that it names, and checks the
 * results. The places are read from the sources, so that the test fails for a new `next` without a case.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sitesOf } from '../../testing/next/sites.js'
import { startWorld, type Plane, type World } from '../../testing/world.js'
import { appCases, appLimits } from './apps.js'
import { eventCases } from './events.js'
import { stepCases } from './steps.js'
import { limitCases } from './limits.js'
import { phoneCases } from './phones.js'

const seen: string[] = []
let world: World
/** The plane for cases about apps, events and steps. The other cases need other limits. */
let plane: Plane
beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ env: appLimits })
})
afterAll(() => world.stop())

describe('the `next` of', () => {
  describe('a phone:', () => phoneCases(() => world, seen))
  describe('a limit:', () => limitCases(() => world, seen))
  describe('an app:', () => appCases(() => plane, seen))
  describe('events:', () => eventCases(() => plane, seen))
  describe('steps:', () => stepCases(() => plane, seen))
})

const doctor =
  'goes to `phonerack-agent doctor`, which prints it; `hosts/connection-check.test.ts` gets the refusal'
const busy = 'needs a pool without a free connection; `http/saturated.test.ts` sends again'

/** Places that no request of this test reaches, by file and code, with the reason. */
const unreached = {
  'api/http/held-open.ts: none': 'needs a stalled download; `http/held-open.test.ts` reads it to its end',
  'base/db/busy.ts: none': busy,
  'base/db/busy.ts: service_unavailable': busy,
  'base/db/owner-gate.ts: rate_limited':
    'needs a hundred requests that wait; `core/tenant-transaction.test.ts` sends again',
  'files/uploads/incoming.ts: validation_failed':
    'goes to a client that broke off; `uploads/receive.test.ts` sends again',
  'files/uploads/process.ts: storage_full': 'needs a disk that fills up between the request and its job',
  'fleet/hosts/connection-check.ts: rate_limited': doctor,
  'fleet/hosts/connection-check.ts: unauthorized': doctor,
  'fleet/operator/admit-host.ts: invalid_request':
    'goes to a host agent of an earlier release, whose operator upgrades it',
  'people/connectors/grants.ts: invalid_request': 'goes to a member on the page where an app asks for access',
  'people/setup/pending.ts: rate_limited': 'needs thousands of terminals that wait',
  'phone-io/installs/run-install.ts: app_not_available':
    'needs a library that lost an app between its list and the install',
}

it('comes only from places that are followed above or listed with a reason', () => {
  const missing = sitesOf('control-plane/src')
    .sites.filter(({ pattern }) => !seen.some((text) => pattern.test(text)))
    .map(({ file, code }) => `${file}: ${code}`)
  expect(missing.sort()).toEqual(Object.keys(unreached))
})

/** Places that pass on a text from a case above, an APK's error, a host's error for a step, or no `next`. */
const passedOn = [
  'api/http/conventions.ts',
  'api/http/errors.ts',
  'api/http/json.ts',
  'api/http/json.ts',
  'api/routes/apps/schemas.ts',
  'files/library/files.ts',
  'files/uploads/process.ts',
  'files/uploads/records.ts',
  'phone-io/device-control/run-actions.ts',
  'phone-io/installs/records.ts',
  'phone-io/steps/redact-screen.ts',
]

it('is passed on without its own text only in known files', () => {
  expect(sitesOf('control-plane/src').passedOn.map((place) => place.split(':')[0])).toEqual(passedOn)
})
