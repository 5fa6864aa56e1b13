/**
 * `/operator/v1/payments/unmatched`: payments that the provider reported and that match none of the projects; for `ctl
 * payment unmatched`.
 */
import { type FastifyPluginAsync } from 'fastify'
import { listOf } from '../shape.js'
import { unmatchedPaymentAnswer } from './answers.js'
import { operatorApi } from './api.js'
import { type Core } from '../../../base/core/core.js'
import { readUnmatched } from '../../../rental/payments/unmatched.js'

export const paymentsOperatorPlugin =
  (core: Core): FastifyPluginAsync =>
  (app) => {
    operatorApi(app, core).read(
      '/payments/unmatched',
      { answer: listOf(unmatchedPaymentAnswer) },
      async () => ({
        data: (await readUnmatched(core)).map((row) => ({
          ...row,
          cents: Number(row.cents),
          told_at: row.told_at.toISOString(),
        })),
      }),
    )
    return Promise.resolve()
  }
