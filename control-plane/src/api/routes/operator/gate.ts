/** Checks the operator token of every request to the operator's listener. */
import { hashSecret, isSecret } from '@phonerack/shared'
import { type FastifyRequest } from 'fastify'
import { type Core } from '../../../base/core/core.js'
import { authenticateOperator, createTokenLookup, type Operator } from '../../../base/audit/auth.js'
import { addressOf } from '../../../base/failure-limit/network.js'
import { keyFailures, type FailureLimit } from '../../../base/failure-limit/failure-limit.js'

/** The authenticated operator of a request. */
export function operatorOf(request: FastifyRequest): Operator {
  if (!request.operator) throw new Error('the route does not check the operator token')
  return request.operator
}

export interface OperatorGate {
  /** Sets `request.operator`. @throws ApiError unauthorized, or rate_limited for an address with many wrong tokens */
  enter(request: FastifyRequest): Promise<void>
  close(): void
}

export function createOperatorGate(core: Core, failureLimit: FailureLimit): OperatorGate {
  const lookup = createTokenLookup(core)
  return {
    async enter(request) {
      const secret = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
      request.operator = await failureLimit.guard(request.raw, {
        isKnown: isSecret('operator', secret) ? () => lookup.has(hashSecret(secret)) : null,
        failures: keyFailures,
        work: async () => {
          try {
            return await authenticateOperator(core, secret, {
              address: addressOf(request),
              requestId: request.id,
            })
          } catch (error) {
            lookup.forget(hashSecret(secret))
            throw error
          }
        },
      })
    },
    close: () => lookup.close(),
  }
}
