/**
 * The services `shell:`, `shell,v2,…:` and `exec:`. Version 2 wraps stdin, stdout, stderr and the exit code
 * in packets; the older services send stdout and stderr mixed and no exit code. Source: AOSP
 * `shell_service.cpp`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Android } from '../android/android.js'
import { BrokenPipe, type ByteSink, type Duplex, Pipe } from '../android/streams.js'
import { quoteWord } from '../shell/bytes.js'
import { defaultEnvironment, runInteractive, runText, type SessionOptions } from '../shell/session.js'
import { encodeShellPacket, shellId, ShellPacketReader } from './shell-packet.js'
import { Terminal } from './terminal.js'

interface ShellRequest {
  /** Empty for an interactive shell. */
  command: string
  /** Whether the service uses the shell protocol, version 2. */
  packets: boolean
  pty: boolean
  term: string
}

/** Parses `shell,v2,TERM=xterm,pty:ls`, or `abb:package\0list`; null for any other service. */
export function parseShellService(name: string): ShellRequest | null {
  const at = name.indexOf(':')
  if (name.startsWith('abb:') || name.startsWith('abb_exec:')) {
    // The service runs `cmd` without a separate process, and does not parse its arguments.
    const words = ['cmd', ...name.slice(at + 1).split('\0')].map(quoteWord)
    return { command: words.join(' '), packets: name.startsWith('abb:'), pty: false, term: 'dumb' }
  }
  const [service = '', ...args] = name.slice(0, at === -1 ? undefined : at).split(',')
  if (at === -1 || (service !== 'shell' && service !== 'exec')) return null
  const command = name.slice(at + 1)
  if (service === 'exec')
    return args.length > 0 ? null : { command, packets: false, pty: false, term: 'dumb' }
  const pty = args.includes('pty') || (!args.includes('raw') && command === '')
  const term = args.find((arg) => arg.startsWith('TERM='))?.slice('TERM='.length) ?? 'dumb'
  return { command, packets: args.includes('v2'), pty, term }
}

/** The message of adbd without room for a process. Source: AOSP `shell_service.cpp`, `ReportError`. */
const forkFailed = Buffer.from('error: fork failed: Try again\n')

async function refuse(stream: Duplex, { packets }: ShellRequest): Promise<void> {
  if (!packets) return stream.write(forkFailed)
  await stream.write(encodeShellPacket({ id: shellId.stderr, data: forkFailed }))
  await stream.write(encodeShellPacket({ id: shellId.exit, data: Buffer.from([126]) }))
}

export async function shellService(stream: Duplex, request: ShellRequest, android: Android): Promise<void> {
  if (!android.processes.hasRoomFor(request.command)) return refuse(stream, request)
  const ended = new AbortController()
  const finished = new AbortController()
  void stream.closed.then(() => endAfter(request.packets ? 0 : lingerMs, ended, finished.signal))
  const process = android.processes.start({ user: 'shell', name: 'sh', parent: 1, kill: () => ended.abort() })
  try {
    const sinkOf = (id: number): ByteSink =>
      request.packets
        ? { write: (data) => stream.write(encodeShellPacket({ id, data })) }
        : { write: (data) => stream.write(data) }
    const stdin = new Pipe()
    const sinks = { stdout: sinkOf(shellId.stdout), stderr: sinkOf(shellId.stderr) }
    const options = { android, signal: ended.signal, pid: process.pid, env: environment(request) }
    const code = request.pty
      ? await onTerminal(stream, request, sinks.stdout, options)
      : await raw(stream, request, stdin, { ...options, ...sinks, stdin })
    if (request.packets)
      await stream.write(encodeShellPacket({ id: shellId.exit, data: Buffer.from([code & 255]) }))
  } finally {
    finished.abort()
    android.processes.end(process)
  }
}

/**
 * With packets, adbd sends SIGHUP when the host disconnects. Without packets, the program only finds its
 * streams closed and still processes its input (`adb exec-in`). A phone would let the program run without
 * limit; this phone limits it, since it shares a process with other phones.
 */
const lingerMs = 10_000

async function endAfter(ms: number, ended: AbortController, finished: AbortSignal): Promise<void> {
  if (ms > 0) {
    await delay(ms, undefined, { signal: finished }).catch((error: unknown) => {
      if (!finished.aborted) throw error
    })
  }
  ended.abort()
}

function environment(request: ShellRequest): Record<string, string> {
  return { ...defaultEnvironment(), TERM: request.term }
}

function raw(stream: Duplex, request: ShellRequest, stdin: Pipe, options: SessionOptions): Promise<number> {
  feed(
    options.android,
    stream,
    request,
    (data) => stdin.write(data),
    () => stdin.end(),
  )
  return request.command === '' ? runInteractive(null, options) : runText(request.command, options)
}

async function onTerminal(
  stream: Duplex,
  request: ShellRequest,
  screen: ByteSink,
  options: Omit<SessionOptions, 'stdin' | 'stdout' | 'stderr'>,
): Promise<number> {
  const foreground = new AbortController()
  const terminal = new Terminal(screen, () =>
    request.command === '' ? options.android.processes.interrupt(options.pid) : foreground.abort(),
  )
  feed(
    options.android,
    stream,
    request,
    (data) => terminal.type(data),
    () => terminal.input.end(),
  )
  const session: SessionOptions = {
    ...options,
    signal: AbortSignal.any([options.signal, foreground.signal]),
    stdin: terminal.input,
    stdout: terminal.output,
    stderr: terminal.output,
  }
  if (request.command !== '') return runText(request.command, session)
  return runInteractive(() => 'vphone:/ $ ', session)
}

/** Copies the host's data to stdin, only as fast as the program reads. */
function feed(
  android: Android,
  stream: Duplex,
  request: ShellRequest,
  use: (data: Buffer) => Promise<void>,
  end: () => void,
): void {
  const move = async () => {
    const packets = new ShellPacketReader()
    for (let chunk = await stream.read(); chunk !== null; chunk = await stream.read()) {
      if (!request.packets) {
        await use(chunk)
        continue
      }
      for (const packet of packets.push(chunk)) {
        if (packet.id === shellId.stdin) await use(packet.data)
        else if (packet.id === shellId.closeStdin) end()
      }
    }
    end()
  }
  move().catch((error: unknown) => {
    // The program has ended or reads no more input.
    if (!(error instanceof BrokenPipe)) android.fault(error, 'stdin')
  })
}
