/** Checks whether the operator API at an address is our own, and whether it still accepts our token. */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorClient, OperatorError, Unreachable } from '@phonerack/ctl/operator'

/** `unknown`: no server answers at the address, or another system does. */
export type Standing = 'valid' | 'revoked' | 'unknown'

export async function standingOf(operatorUrl: string, token: string): Promise<Standing> {
  try {
    await new OperatorClient(operatorUrl, token, { timeoutMs: 2000 }).service()
    return 'valid'
  } catch (error) {
    if (error instanceof Unreachable) return 'unknown'
    if (error instanceof OperatorError) return isRevoked(error.body) ? 'revoked' : 'unknown'
    throw error
  }
}

/** @throws Error when the token is not accepted within a minute */
export async function untilValid(operatorUrl: string, token: string, stop: AbortSignal): Promise<void> {
  const end = performance.now() + 60_000
  while ((await standingOf(operatorUrl, token)) !== 'valid') {
    stop.throwIfAborted()
    if (performance.now() > end) throw new Error('the control plane does not accept its new operator token')
    await sleep(100)
  }
}

function isRevoked(body: unknown): boolean {
  const read = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return read(read(read(body, 'error'), 'details'), 'reason') === 'revoked'
}
