/**
 * Decides whether a port of the phone is reachable from outside. The UI server listens on all interfaces
 * without authentication, so it may run only where loopback is the only interface. Used by `keeper.ts`.
 */
import type { Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'

/**
 * `isolated`: every address is a loopback address. Otherwise `reason` names another address, or why the
 * addresses are unknown.
 */
type Isolation = { isolated: true } | { isolated: false; reason: string }

const line = /^\d+:\s+(\S+)\s+(\S+)\s+(\S+)/

/** Parses the output of `ip -o addr show`. Pure. Output in an unknown form counts as not isolated. */
export function judgeAddresses(output: string): Isolation {
  const lines = output.split('\n').filter((each) => each.trim() !== '')
  let loopback = false
  for (const each of lines) {
    const [, name = '', family = '', address = ''] = line.exec(each) ?? []
    if (family !== 'inet' && family !== 'inet6') return unknown(each)
    if (name === 'lo' && (/^127\.\d+\.\d+\.\d+\//.test(address) || address === '::1/128')) loopback = true
    else return { isolated: false, reason: `the phone is on a network: ${name} has ${address}` }
  }
  return loopback ? { isolated: true } : unknown(output)
}

const unknown = (text: string): Isolation => ({
  isolated: false,
  reason: `the phone's addresses cannot be read: "${text.slice(0, 100).trim()}"`,
})

/** Reads the phone's addresses. */
export async function readIsolation(transport: Transport, progress: Progress): Promise<Isolation> {
  const { exitCode, stdout, stderr } = await transport.shell(command('ip', '-o', 'addr', 'show'), progress)
  if (exitCode !== 0) return unknown(`${stdout.toString('utf8')}${stderr.toString('utf8')}`)
  return judgeAddresses(stdout.toString('utf8'))
}
