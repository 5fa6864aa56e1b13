/** A separate system whose parts a test file kills, and the invariants that must hold afterwards. */
import { afterAll, beforeAll, expect } from 'vitest'
import { databaseUrl } from '../system/database.js'
import { openInvariants } from '../system/invariants.js'
import { startSystem, stopSystem, type System } from '../system/system.js'
import { eventually, newTenant, type Tenant } from '../system/tenant.js'

export interface BreakableSystem {
  readonly system: System
  readonly tenant: Tenant
  /** Waits until nothing is in progress, then checks every invariant in the database. */
  settled(): Promise<void>
  /** Waits until the control plane answers. */
  healthy(): Promise<void>
  /** Deletes the tenant's phones. */
  removeAll(): Promise<void>
}

/** Started before a file's tests and stopped after them; read its fields in tests only. */
export function breakableSystem(): BreakableSystem {
  let started: System | null = null
  let tenant: Tenant | null = null
  const running = () => {
    if (!started || !tenant) throw new Error('the system has not started')
    return { system: started, tenant }
  }
  beforeAll(async () => {
    started = await startSystem({
      virtualPhones: 3,
      env: {
        // Tests that retry until a part is back exceed the specification's limit.
        PHONERACK_LIFECYCLE_PER_MINUTE: '100000',
        // A test that fills the disk gives it a small one from the start.
        PHONERACK_RECORDING_MIN_FREE: '0',
      },
    })
    tenant = await newTenant(started, { creditUsd: '1000' })
  })
  afterAll(() => (started ? stopSystem(started) : undefined))
  return {
    get system() {
      return running().system
    },
    get tenant() {
      return running().tenant
    },
    settled: async () => {
      const { system } = running()
      await eventually('the database to answer', 150_000, async () => {
        try {
          const invariants = await openInvariants(await databaseUrl(system))
          await invariants.close()
          return true
        } catch (error) {
          if (error instanceof Error) return false
          throw error
        }
      })
      const invariants = await openInvariants(await databaseUrl(system))
      try {
        await eventually('phones to settle', 200_000, async () => (await invariants.underway()).length === 0)
        expect(await invariants.violations()).toEqual([])
      } finally {
        await invariants.close()
      }
    },
    healthy: () =>
      eventually('the control plane to answer', 150_000, async () => {
        try {
          const { base_url } = running().system.up
          const response = await fetch(`${base_url}/readyz`, { signal: AbortSignal.timeout(2000) })
          // Includes the broker, without which no phone is reachable.
          return response.ok && ((await response.json()) as { status: string }).status === 'ok'
        } catch (error) {
          if (error instanceof Error) return false
          throw error
        }
      }),
    removeAll: async () => {
      const { admin } = running().tenant
      const list = await admin.get('/v1/phones')
      const phones = (list.body as { data: { id: string }[] }).data
      await Promise.all(phones.map((phone) => admin.delete(`/v1/phones/${phone.id}`)))
    },
  }
}
