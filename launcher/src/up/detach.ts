/**
 * `up --detach`: runs the same program in the background, which reports its progress to its parent until it
 * is ready.
 */
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { openLog } from '../processes/log-file.js'
import type { UpOptions } from './args.js'
import { openFolder } from './folder.js'

type Message = { kind: 'text'; text: string } | { kind: 'ready' } | { kind: 'failed' }

const childVariable = 'PHONERACK_UP_DETACHED'

export const isDetachedChild = (): boolean => process.env[childVariable] === '1' && process.send !== undefined

/** Does nothing once the parent has ended. */
export function tellParent(message: Message): void {
  if (!process.connected || !process.send) return
  // A parent that has just been interrupted is not an error.
  process.send(message, undefined, undefined, () => undefined)
  if (message.kind !== 'text') process.disconnect()
}

/** @returns the exit code. */
export async function runDetached(options: UpOptions): Promise<number> {
  const log = openLog(openFolder(options.data).log('up'))
  const child = spawn(process.execPath, process.argv.slice(1), {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, [childVariable]: '1' },
  })
  closeSync(log)
  const interrupt = () => child.kill('SIGTERM')
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const outcome = await new Promise<'ready' | 'failed'>((resolve, reject) => {
    child.on('message', (message) => {
      const told = message as Message
      if (told.kind === 'text') process.stdout.write(told.text)
      else resolve(told.kind)
    })
    child.once('error', reject)
    child.once('exit', () => resolve('failed'))
  })
  process.off('SIGINT', interrupt)
  process.off('SIGTERM', interrupt)
  if (child.connected) child.disconnect()
  child.unref()
  return outcome === 'ready' ? 0 : 1
}
