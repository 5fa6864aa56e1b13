/**
 * Tells systemd that the event loop of this process works, for `WatchdogSec` of its unit: systemd ends and restarts a process
 * whose pings stop. Node.js has no datagram sockets of Unix, so `systemd-notify` sends each ping; a timer starts it, so a
 * stalled event loop sends none.
 */
import { execFile } from 'node:child_process'
import type { Logger } from './log.js'

/** Milliseconds for one ping. */
const pingMs = 5000

/**
 * Without a watchdog of systemd this does nothing.
 * @param env loses the variables of the watchdog, so that no child process can send pings
 * @returns a function that ends the pings
 */
export function keepWatchdog(log: Pick<Logger, 'error'>, env: NodeJS.ProcessEnv = process.env): () => void {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: limit, WATCHDOG_PID: pid, PATH: path } = env
  delete env['NOTIFY_SOCKET']
  delete env['WATCHDOG_USEC']
  delete env['WATCHDOG_PID']
  const limitMs = Number(limit) / 1000
  if (socket === undefined || !(limitMs > 0) || (pid !== undefined && Number(pid) !== process.pid))
    return () => undefined
  let isFailing = false
  const ping = (): void => {
    const child = { env: { PATH: path, NOTIFY_SOCKET: socket }, timeout: pingMs }
    execFile('systemd-notify', ['WATCHDOG=1'], child, (error) => {
      // Logged once for each series of failures.
      if (error !== null && !isFailing) log.error({ err: error }, 'the watchdog of systemd gets no ping')
      isFailing = error !== null
    })
  }
  ping()
  const timer = setInterval(ping, limitMs / 4)
  timer.unref()
  return () => clearInterval(timer)
}
