/** Buying credit in the console: the address of the provider's payment page, and the state of the payment. */
import { ApiError, formatUsd } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type ReturnPages } from '../../../rental/payments/types.js'
import { asUser } from '../../../people/users/work.js'
import { checkoutAmount } from '../checkout.js'
import { callerFor, type ProjectDeps } from './caller.js'
import { actorOf, projectOf } from './gate.js'
import { checkoutAnswer, newCheckoutAnswer, receiptAnswer } from './answers.js'
import { route } from './route.js'

const purchase = z.strictObject({ amount_usd: checkoutAmount })

/** @param origin the origin of the console that the payer uses, which has the payer's session */
const pagesAt =
  (origin: string, projectId: string) =>
  (checkoutId: string): ReturnPages => {
    const credit = `${origin}/console/projects/${projectId}/credit`
    return { paid: `${credit}?paid=${checkoutId}`, cancelled: `${credit}?cancelled=${checkoutId}` }
  }

/** The gate has checked that the origin is the console's. */
const originOf = ({ headers }: FastifyRequest): string => headers.origin ?? ''

export function addCheckouts(app: FastifyInstance, { core, services }: ProjectDeps): void {
  route(
    app,
    'POST /projects/:project/checkouts',
    { body: purchase, answer: newCheckoutAnswer, status: 201 },
    async (request, reply) => {
      const { amount_usd: amountUsd } = request.body
      const { id: projectId } = projectOf(request)
      const pages = pagesAt(originOf(request), projectId)
      const { id, url } = await services.checkout.create(callerFor(request, reply), amountUsd, pages)
      // The audit entry and the link are not in one transaction, since the provider is called between them.
      await asUser(core, actorOf(request), 'credit.checkout', () =>
        Promise.resolve({
          result: null,
          target: projectId,
          before: null,
          after: { checkout: id, amount_usd: amountUsd },
        }),
      )
      return { id, url }
    },
  )
  route(app, 'GET /projects/:project/checkouts/:checkout', { answer: checkoutAnswer }, async (request) => {
    const { id: projectId } = projectOf(request)
    const found = await services.checkout.find(projectId, request.params.checkout)
    if (!found) throw new ApiError('not_found', { message: 'This project has no such payment.', next: null })
    const { id, amountUsd, createdAt, paidAt } = found
    // The balance is read after the payment, so that it includes the credit of the payment.
    const { balanceMicros } = await core.db.project.findUniqueOrThrow({ where: { id: projectId } })
    return {
      id,
      amount_usd: formatUsd(BigInt(amountUsd) * 1_000_000n),
      created_at: createdAt.toISOString(),
      paid_at: paidAt?.toISOString() ?? null,
      balance_usd: formatUsd(balanceMicros),
    }
  })
  route(
    app,
    'GET /projects/:project/checkouts/:checkout/receipt',
    { answer: receiptAnswer },
    async (request) => {
      const url = await services.checkout.receiptOf(projectOf(request).id, request.params.checkout)
      if (url === null)
        throw new ApiError('not_found', { message: 'There is no receipt for this payment.', next: null })
      return { url }
    },
  )
}
