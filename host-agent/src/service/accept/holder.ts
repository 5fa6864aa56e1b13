/** Finds the program of this machine that holds a phone, before an acceptance run takes it. */
import { Progress } from '@phonerack/shared'
import { AdbClient } from '../../adb/client.js'
import { runningAgent } from '../../adb/process-identity.js'
import { attempt, readAdbServers } from '../doctor/programs.js'
import { isNetworkSerial } from './phone.js'

/** Milliseconds for one adb server. */
const askMs = 5000

/**
 * Returns the reason for which the phone cannot be taken; null when no program that holds the phone was found.
 * @param agentDir state folder of this machine's agent; null when unknown
 * @param proc `/proc`
 */
export async function holderOf(
  serial: string,
  agentDir: string | null,
  proc = '/proc',
): Promise<string | null> {
  const agent = agentDir === null ? null : runningAgent(agentDir)
  // The agent's adb servers take every phone on USB, even a phone that restarts during the run.
  if (agent !== null && !isNetworkSerial(serial))
    return `the host agent of this machine runs (process ${agent}) and holds every phone on USB. Stop the agent first, or use another machine.`
  const servers = await readAdbServers(proc, null)
  if ('failed' in servers) return null
  for (const { pid, command } of servers.value) {
    const socket = / localfilesystem:(\S+)/.exec(` ${command}`)?.[1]
    if (socket === undefined) continue
    const listed = await attempt(() => new AdbClient(socket).devices(Progress.for(askMs)))
    const holds = 'value' in listed && listed.value.some((device) => device.serial === serial)
    if (holds)
      return `a running host agent holds ${serial}: its adb server is process ${pid}. Stop that agent, or remove the phone from it.`
  }
  return null
}
