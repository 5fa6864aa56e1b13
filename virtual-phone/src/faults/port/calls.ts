/** The faults by name, with their parameters: the bodies of `POST /phones/:phone/faults/:fault`. Used by `port.ts`. */
import { z } from 'zod'
import type { Phone } from '../../phone.js'
import { leftovers } from '../leftovers.js'

/** The calls of the fault port: the functions of `phone.faults`. */
type FaultTarget = Phone['faults']

/** Resolves with the response body. */
type Call = (faults: FaultTarget, body: unknown) => Promise<unknown>

/** Validates the body, then acts. @throws ZodError for an invalid body */
function call<Body>(schema: z.ZodType<Body>, act: (faults: FaultTarget, body: Body) => unknown): Call {
  return async (faults, body) => (await act(faults, schema.parse(body))) ?? {}
}

const nothing = z.strictObject({})
const toggle = z.strictObject({ on: z.boolean() })
const limits = z.strictObject({ latencyMs: z.number().min(0), bytesPerSecond: z.number().positive() })

const what = z.strictObject({ what: z.array(z.enum(leftovers)) })

export const calls: Readonly<Record<string, Call>> = {
  unplug: call(nothing, (faults) => faults.unplug()),
  replug: call(nothing, (faults) => faults.replug()),
  'restart-adbd': call(nothing, (faults) => faults.restartAdbd()),
  offline: call(toggle, (faults, { on }) => faults.setOffline(on)),
  unauthorized: call(nothing, (faults) => faults.makeUnauthorized()),
  hang: call(
    z.strictObject({ every: z.int().min(0), containing: z.string().default('') }),
    (faults, { every, containing }) => {
      faults.hangEvery(every, containing)
    },
  ),
  'slow-link': call(z.strictObject({ limits: limits.nullable() }), (faults, body) =>
    faults.slowLink(body.limits),
  ),
  'never-come-back': call(toggle, (faults, { on }) => {
    faults.neverComeBack(on)
  }),
  'full-storage': call(toggle, (faults, { on }) => {
    faults.fullStorage(on)
  }),
  'crash-ui-server': call(nothing, (faults) => {
    faults.crashUiServer()
  }),
  'never-idle': call(toggle, (faults, { on }) => {
    faults.neverIdle(on)
  }),
  'deny-clipboard': call(toggle, (faults, { on }) => {
    faults.denyClipboard(on)
  }),
  'kill-scrcpy': call(nothing, (faults) => ({ killed: faults.killScrcpy() })),
  'lock-screen': call(nothing, (faults) => {
    faults.lockScreen()
  }),
  battery: call(
    z.strictObject({ percent: z.int().min(0).max(100), celsius: z.number().min(-40).max(120).optional() }),
    (faults, { percent, celsius }) => {
      faults.setBattery(percent)
      if (celsius !== undefined) faults.setTemperature(celsius)
    },
  ),
  'clock-offset': call(z.strictObject({ ms: z.number() }), (faults, { ms }) => {
    faults.setClockOffset(ms)
  }),
  leave: call(what, (faults, body) => faults.leave(body.what)),
  'wipe-leaves': call(what, (faults, body) => {
    faults.wipeLeaves(body.what)
  }),
  insert: call(
    z.strictObject({
      sim: z.boolean().optional(),
      forwards: z.boolean().optional(),
      messages: z.int().min(0).max(40).optional(),
      esimProfiles: z.int().min(0).max(8).optional(),
      memoryCard: z.boolean().optional(),
    }),
    (faults, body) => {
      faults.insert(body)
    },
  ),
  'boot-properties': call(z.strictObject({ values: z.record(z.string(), z.string()) }), (faults, body) => {
    faults.setBootProperties(body.values)
  }),
  'wipe-does-nothing': call(toggle, (faults, { on }) => {
    faults.setWipeDoesNothing(on)
  }),
  'steal-focus': call(
    z.strictObject({ package: z.string().min(1).nullable(), everyMs: z.int().min(10).default(500) }),
    (faults, body) => {
      faults.stealFocus(body.package, body.everyMs)
    },
  ),
}
