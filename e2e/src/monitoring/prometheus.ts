/** The Prometheus of the check, on the loopback address, with the configuration of `deploy/monitoring`. */
import { spawn } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { freePort, root, type UpFile } from '../system/system.js'
import { eventually } from '../system/tenant.js'

const folder = path.join(root, 'deploy/monitoring')

/** Seconds between two scrapes. The interval is short so that the check takes little time. */
export const scrapeSeconds = 2
const requestMs = 30_000

/** The points of a series: a time, and a number as text. */
const rangeSchema = z.object({
  data: z.object({ result: z.array(z.object({ values: z.array(z.tuple([z.number(), z.string()])) })) }),
})
const rulesSchema = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            name: z.string(),
            query: z.string(),
            health: z.string(),
            lastError: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
})
const failureSchema = z.object({ error: z.string() })
const targetsSchema = z.object({
  data: z.object({ activeTargets: z.array(z.object({ health: z.string(), lastError: z.string() })) }),
})

export type Rule = z.infer<typeof rulesSchema>['data']['groups'][number]['rules'][number]

export interface Prometheus {
  /**
   * Returns the points of each series from `from` until now.
   * @throws Error with the fault of the expression
   */
  points(expression: string, from: number): Promise<number[][]>
  /** The alert rules as Prometheus has loaded them. */
  rules(): Promise<Rule[]>
  /** Returns when both programs have been scraped. */
  scraped(): Promise<void>
  stop(): Promise<void>
}

/** The example configuration, with the addresses of this system and shorter intervals. */
async function writeConfig(dir: string, up: Pick<UpFile, 'metrics_urls'>): Promise<string> {
  const example = await readFile(path.join(folder, 'prometheus.yml'), 'utf8')
  const replacements: [string, string][] = [
    ['127.0.0.1:9464', new URL(up.metrics_urls.control_plane).host],
    ['127.0.0.1:9465', new URL(up.metrics_urls.host_agent ?? '').host],
    ['scrape_interval: 15s', `scrape_interval: ${scrapeSeconds}s`],
    ['evaluation_interval: 15s', `evaluation_interval: ${scrapeSeconds}s`],
  ]
  let text = example
  for (const [from, to] of replacements) {
    if (text.split(from).length !== 2) throw new Error(`prometheus.yml has not one ${from}`)
    text = text.replace(from, to)
  }
  await copyFile(path.join(folder, 'alerts.yml'), path.join(dir, 'alerts.yml'))
  const file = path.join(dir, 'prometheus.yml')
  await writeFile(file, text)
  return file
}

/** @param dir the folder of its configuration and data */
export async function startPrometheus(
  program: string,
  dir: string,
  up: Pick<UpFile, 'metrics_urls'>,
): Promise<Prometheus> {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const child = spawn(
    program,
    [
      `--config.file=${await writeConfig(dir, up)}`,
      `--storage.tsdb.path=${path.join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let failure: Error | null = null
  child.on('error', (error) => (failure = error))
  // Handles the failed start of a program too.
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  const ask = async (target: string, body?: Record<string, string>): Promise<unknown> => {
    const response = await fetch(base + target, {
      signal: AbortSignal.timeout(requestMs),
      ...(body === undefined ? {} : { method: 'POST', body: new URLSearchParams(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(failureSchema.safeParse(answer).data?.error ?? `${response.status}`)
    return answer
  }
  try {
    await eventually('Prometheus to be ready', 60_000, async () => {
      if (failure !== null) throw new Error(`Prometheus cannot be started: ${failure.message}`)
      const end = child.exitCode ?? child.signalCode
      if (end !== null) {
        await ended
        throw new Error(`Prometheus ended with ${end}: ${said}`)
      }
      return fetch(`${base}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    async points(query, from) {
      const range = {
        start: String(from / 1000),
        end: String(Date.now() / 1000),
        step: String(scrapeSeconds),
      }
      const { data } = rangeSchema.parse(await ask('/api/v1/query_range', { query, ...range }))
      return data.result.map(({ values }) => values.map(([, value]) => Number(value)))
    },
    rules: async () =>
      rulesSchema.parse(await ask('/api/v1/rules?type=alert')).data.groups.flatMap(({ rules }) => rules),
    scraped: () =>
      eventually('a scrape of both programs', 60_000, async () => {
        const { activeTargets } = targetsSchema.parse(await ask('/api/v1/targets?state=active')).data
        return activeTargets.length === 2 && activeTargets.every(({ health }) => health === 'up')
      }),
    stop,
  }
}
