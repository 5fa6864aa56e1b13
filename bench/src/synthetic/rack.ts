/** Many synthetic agents in this process, each joined with its own token. */
import path from 'node:path'
import type { Logger } from '@phonerack/shared'
import { z } from 'zod'
import type { Api } from '@phonerack/e2e/system/api.js'
import { startSyntheticAgent, type SyntheticAgent, type SyntheticAgentOptions } from './agent.js'

export interface SyntheticRackOptions extends Pick<
  SyntheticAgentOptions,
  'controlUrl' | 'times' | 'isEnrolled' | 'onCall'
> {
  operator: Api
  agents: number
  phonesPerAgent: number
  /** A folder with a folder for each agent. */
  dir: string
  log: Logger
}

export interface SyntheticRack {
  agents: readonly SyntheticAgent[]
  stop(): Promise<void>
}

/** The number of concurrent joins, of which each creates a certificate. */
const together = 8
const tokenSchema = z.object({ token: z.string() })

export async function startSyntheticRack(options: SyntheticRackOptions): Promise<SyntheticRack> {
  const { operator, phonesPerAgent, dir, ...rest } = options
  const agents: SyntheticAgent[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(agents.splice(0).map((agent) => agent.stop()))
  }
  const startOne = async (index: number): Promise<void> => {
    const name = `synthetic-${index}`
    const answer = await operator.post('/operator/v1/hosts/join-tokens', {})
    const { token } = tokenSchema.parse(answer.body)
    const serials = Array.from({ length: phonesPerAgent }, (_, at) => `${name}-${at}`)
    agents.push(await startSyntheticAgent({ ...rest, token, name, serials, dir: path.join(dir, name) }))
  }
  try {
    await inParallel(together, options.agents, startOne)
  } catch (error) {
    await stop()
    throw error
  }
  return { agents, stop }
}

/**
 * Runs `work` for 0 to `count` - 1, `width` at the same time. Rejects with the first failure, once none runs.
 */
export async function inParallel(
  width: number,
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const failed: unknown[] = []
  const line = async (): Promise<void> => {
    while (next < count && failed.length === 0) {
      try {
        await work(next++)
      } catch (error) {
        failed.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, line))
  if (failed.length > 0) throw failed[0]
}
