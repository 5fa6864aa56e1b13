/**
 * Starts each of Phonerack's processes, and checks its health. Their environment is documented in
 * docs/operations.md.
 */
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { startChild, waitUntil, type Running } from '../processes/child.js'
import { stopAfter } from '../processes/stop.js'
import type { Service } from '../processes/supervisor.js'
import { childEnvironment } from './child-environment.js'
import { markVariable } from './clean.js'
import type { Folder, ServiceName } from './folder.js'

interface Program {
  /** Folder of the checkout. */
  root: string
  folder: Folder
  name: ServiceName
  /** Path of the script, relative to the checkout. */
  script: string
  args?: readonly string[]
  env: Record<string, string>
  readyWithinMs: number
  ready: () => Promise<boolean>
  /** Milliseconds that the program may take to stop. Default: the time of `politeStop`. */
  stopWithinMs?: number
}

export function nodeService(program: Program): Service {
  const script = path.join(program.root, program.script)
  return {
    name: program.name,
    async start(): Promise<Running> {
      if (!existsSync(script)) throw new Error(`${program.script} is missing: the build is not complete`)
      const running = await startChild({
        command: process.execPath,
        args: [script, ...(program.args ?? [])],
        env: {
          ...childEnvironment(program.name, process.env),
          ...program.env,
          [markVariable]: program.folder.dir,
        },
        cwd: program.folder.dir,
        output: program.folder.log(program.name),
        recordFile: program.folder.record(program.name),
        ...(program.stopWithinMs === undefined ? {} : { stopSteps: stopAfter(program.stopWithinMs) }),
      })
      await waitUntil(program.name, running, program.readyWithinMs, program.ready)
      return running
    },
  }
}

/** Whether the server at `url` answers 200. The request has the token, if a token is given. */
export async function isHealthy(url: string, token?: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(2000),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    })
    await response.arrayBuffer()
    return response.status === 200
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => done(false))
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}
