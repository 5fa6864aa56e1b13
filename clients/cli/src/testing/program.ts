/** Runs command lines in this process, with their own home folder, terminal and clock. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { run } from '../run.js'
import type { Io } from '../io.js'
import { apiKey, startService, type Service } from './service.js'

export interface Result {
  exitCode: number
  out: string
  bytes: Buffer
  err: string
}

export interface Settings {
  stdin?: string | Readable
  terminal?: boolean
  env?: Record<string, string>
  signal?: AbortSignal
}

export interface Bench {
  service: Service
  home: string
  /** Runs a command line, with the key in the environment unless `env` is given. */
  phonerack: (words: readonly string[], settings?: Settings) => Promise<Result>
  close: () => Promise<void>
}

export async function startBench(): Promise<Bench> {
  const service = await startService()
  const home = await mkdtemp(path.join(tmpdir(), 'phonerack-cli-'))
  const known = { PHONERACK_API_KEY: apiKey, PHONERACK_BASE_URL: service.baseUrl }
  return {
    service,
    home,
    async phonerack(words, { stdin = '', terminal = false, env = known, signal } = {}) {
      const chunks: Buffer[] = []
      let err = ''
      const io: Io = {
        stdin: typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [stdin]) : stdin,
        out: (chunk) => {
          chunks.push(Buffer.from(chunk))
          return Promise.resolve()
        },
        err: (text) => {
          err += text
          return Promise.resolve()
        },
        isTerminal: { in: terminal, out: terminal, err: terminal },

        env,
        platform: 'linux',
        home,
        hostname: 'laptop',
        now: () => Date.parse('2026-11-21T12:50:00.000Z'),
        signal: signal ?? new AbortController().signal,
      }
      const exitCode = await run(words, io)
      const bytes = Buffer.concat(chunks)
      return { exitCode, out: bytes.toString('utf8'), bytes, err }
    },
    async close() {
      await service.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
