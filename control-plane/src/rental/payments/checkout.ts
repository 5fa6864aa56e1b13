/** Creates checkout links. */
import { ApiError, limits, newId } from '@phonerack/shared'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { type Core } from '../../base/core/core.js'
import { type Payments } from './stripe.js'
import { type Caller } from '../../base/core/caller.js'
import { type CheckoutService, type ReturnPages } from './types.js'

const hourMs = 3_600_000

/** @param payments null: `billing_not_configured` */
export function createCheckoutService(
  core: Core,
  payments: Payments | null,
  baseUrl: string,
): CheckoutService {
  const plainPages = (): ReturnPages => ({
    paid: `${baseUrl}/checkout/paid`,
    cancelled: `${baseUrl}/checkout/cancelled`,
  })
  const configured = (): Payments => {
    if (payments) return payments
    throw new ApiError('billing_not_configured', {
      next: 'Ask the operator of this service to add credit to the project.',
    })
  }
  return {
    async create(caller, amountUsd, pagesOf = plainPages) {
      const provider = configured()
      const checkoutId = await note(core, caller, amountUsd)
      try {
        const url = await provider.createPage({ checkoutId, amountUsd, pages: pagesOf(checkoutId) })
        return { id: checkoutId, url }
      } catch (error) {
        // A page that the provider refused does not count. After a timeout the row stays, since the provider
        // may have created the page, and the payer may still pay it.
        if (error instanceof ApiError && error.code === 'provider_error')
          await core.db.checkout.deleteMany({ where: { id: checkoutId, paidAt: null } })
        throw error
      }
    },
    find: (projectId, checkoutId) =>
      core.db.checkout.findUnique({
        where: { id: checkoutId, projectId },
        select: { id: true, amountUsd: true, createdAt: true, paidAt: true },
      }),
    async receiptOf(projectId, checkoutId) {
      const checkout = await core.db.checkout.findUnique({ where: { id: checkoutId, projectId } })
      if (!checkout?.paidAt || checkout.paymentIntent === null) return null
      return configured().receiptOf(checkout.paymentIntent)
    },
  }
}

/** Counts the link under the project's lock, so that the hour's limit is exact across replicas. */
async function note(core: Core, caller: Caller, amountUsd: number): Promise<string> {
  const id = newId('checkout')
  const { perHour } = limits.checkout
  await inTenantTransaction(core, caller, async (tx) => {
    const now = core.clock.now()
    await tx.$queryRaw`select 1 from projects where id = ${caller.projectId} for update`
    const latest = await tx.checkout.findMany({
      where: { projectId: caller.projectId, createdAt: { gt: new Date(now.getTime() - hourMs) } },
      orderBy: { createdAt: 'desc' },
      take: perHour,
      select: { createdAt: true },
    })
    const oldest = latest[perHour - 1]
    if (oldest)
      throw new ApiError('rate_limited', {
        message: `The project has already created ${perHour} checkout links within the last hour.`,
        retryAfterSeconds: Math.max(
          1,
          Math.ceil((oldest.createdAt.getTime() + hourMs - now.getTime()) / 1000),
        ),
      })
    await tx.checkout.create({ data: { id, projectId: caller.projectId, amountUsd, createdAt: now } })
  })
  return id
}
