/** For tests: a virtual phone behind a recording proxy, and the agent connected to it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { observationSchema, type actionSchema, type DeviceLink, type Observation } from '@phonerack/shared'
import { ObserveMode, type RunActionsResponse } from '@phonerack/proto'
import { startPhone, type Form, type Part, type Phone } from '@phonerack/virtual-phone'
import { z } from 'zod'
import { startAdbProxy, type AdbProxy } from './adb-proxy.js'
import type { AgentTimes } from '../base/times.js'
import { startTestHost, type TestHost } from './agent.js'
import type { TestClient } from './client.js'
import { until } from './until.js'

export interface TestPhone {
  proxy: AdbProxy
  /** The phone's adb serial. */
  serial: string
  /** The errors inside the phone. */
  readonly faults: readonly unknown[]
  /** The phone itself, for faults and inspection. */
  readonly inside: Phone
  /**
   * Replaces the phone with a new phone at the same address. Returns the number of services that were opened
   * on the old phone.
   */
  swap(): Promise<number>
  stop(): Promise<void>
}

/**
 * `without`: parts that the phone lacks. `auth`: the phone asks for the keys of hosts. `form`: the maker
 * whose forms of outputs the phone prints.
 */
export async function startTestPhone(
  without: Iterable<Part> = [],
  auth = false,
  form: Form | null = null,
): Promise<TestPhone> {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-phone-'))
  const faults: unknown[] = []
  // Tests cut and freeze connections during messages, so the phone's errors about these are collected
  // separately.
  const onFault = (error: unknown) => void faults.push(error)
  const options = { pace: 'instant', without, auth, form, onFault } as const
  let phone = await startPhone({ port: 0, dataDir: join(dataDir, '1'), ...options })
  const proxy = await startAdbProxy(phone.port)
  return {
    proxy,
    serial: `127.0.0.1:${proxy.port}`,
    faults,
    get inside() {
      return phone
    },
    async swap() {
      const { port } = phone
      proxy.cut()
      await phone.close()
      phone = await startPhone({ port, dataDir: join(dataDir, '2'), ...options })
      const services = proxy.opened.length
      proxy.restore()
      return services
    },
    async stop() {
      await proxy.close()
      await phone.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export interface PhoneAndHost {
  phone: TestPhone
  host: TestHost
  stop(): Promise<void>
}

/** `allowSim`: the operator permits a SIM in the phone. */
export async function startPhoneAndHost(
  options: { without?: Iterable<Part>; allowSim?: boolean; times?: AgentTimes; withMotion?: boolean } = {},
): Promise<PhoneAndHost> {
  const phone = await startTestPhone(options.without)
  const { allowSim, times, withMotion } = options
  const sims = allowSim ? [phone.serial] : []
  const host = await startTestHost([phone.serial], sims, times, undefined, withMotion)
  return {
    phone,
    host,
    async stop() {
      await host.stop()
      await phone.stop()
    },
  }
}

/** Waits until the agent reports this link of a device. */
export const untilLink = (host: TestHost, serial: string, link: DeviceLink, ms = 20_000): Promise<void> =>
  until(
    () => host.agent.registry.statuses().some((status) => status.serial === serial && status.link === link),
    ms,
    link,
  )

/** Calls to one phone as the control plane makes them, under one fencing number. */
export function session(
  client: TestClient,
  serial: string,
  fencingNumber: bigint,
  phoneId = 'ph_aaaaaaaaaaaa',
  tenant = 'tenant-a',
  hasData = false,
) {
  const assignment = { phoneId, tenant, serial, hasData, fencingNumber, requestId: 'req_aaaaaaaaaaaa' }
  return {
    assignment,
    start: () => client.start({ assignment }),
    park: () => client.park({ assignment }),
    wipe: () => client.wipe({ assignment }, 60_000),
    async observe({ fresh = false } = {}): Promise<Observation> {
      const { observationJson } = await client.observe({ assignment, screenshot: undefined, fresh })
      return observationSchema.parse(JSON.parse(Buffer.from(observationJson).toString()))
    },
    run: (
      actions: readonly z.input<typeof actionSchema>[],
      observe = ObserveMode.OBSERVE_MODE_NONE,
      onMessage?: (message: RunActionsResponse, cancel: () => void) => void,
      limits: { startWithinMs?: number; stopBetweenActions?: boolean } = {},
    ) =>
      client.run(
        { assignment, actionsJson: Buffer.from(JSON.stringify(actions)), observe, ...limits },
        onMessage,
      ),
    runGuarded: (actions: readonly z.input<typeof actionSchema>[]) =>
      client.run(
        {
          assignment,
          observe: ObserveMode.OBSERVE_MODE_NONE,
          actionsJson: Buffer.from(JSON.stringify(actions)),
        },
        undefined,
        undefined,
        true,
      ),
  }
}

/** Returns the `results` in a batch's last message. */
export function resultsOf(
  messages: readonly RunActionsResponse[],
): { index: number; ok: boolean; error?: { code: string } }[] {
  const last = messages.at(-1)?.event
  if (last?.$case !== 'ended') throw new Error('the batch did not end')
  return z
    .array(z.object({ index: z.int(), ok: z.boolean(), error: z.object({ code: z.string() }).optional() }))
    .parse(JSON.parse(Buffer.from(last.value.resultsJson).toString())) as never
}
