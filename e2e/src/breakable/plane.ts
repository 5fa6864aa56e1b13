/** The system whose parts a test file kills, and the invariants that must be true afterwards. */
import { beforeAll, expect, inject } from 'vitest'
import { databaseUrl } from '../system/database.js'
import { openInvariants } from '../system/invariants.js'
import { type System } from '../system/system.js'
import { eventually, newTenant, type Tenant } from '../system/tenant.js'

export interface BreakableSystem {
  readonly system: System
  readonly tenant: Tenant
  /** Waits until no work is in progress, and then checks every invariant in the database. */
  settled(): Promise<void>
  /** Waits until the control plane answers. */
  healthy(): Promise<void>
  /** Deletes the tenant's phones. */
  removeAll(): Promise<void>
}

/** Creates the system with a tenant for the file. Only tests may read the tenant. */
export function breakableSystem(): BreakableSystem {
  const system = inject('system')
  let made: Tenant | null = null
  const tenant = () => {
    if (!made) throw new Error('the tenant is not made yet')
    return made
  }
  beforeAll(async () => {
    made = await newTenant(system, { creditUsd: '1000' })
  })
  return {
    system,
    get tenant() {
      return tenant()
    },
    settled: async () => {
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
          const response = await fetch(`${system.up.base_url}/readyz`, { signal: AbortSignal.timeout(2000) })
          // Waits for the API and the broker, without which no phone is reachable.
          return response.ok && ((await response.json()) as { status: string }).status === 'ok'
        } catch (error) {
          if (error instanceof Error) return false
          throw error
        }
      }),
    removeAll: async () => {
      const { admin } = tenant()
      const list = await admin.get('/v1/phones')
      const phones = (list.body as { data: { id: string }[] }).data
      await Promise.all(phones.map((phone) => admin.delete(`/v1/phones/${phone.id}`)))
    },
  }
}
