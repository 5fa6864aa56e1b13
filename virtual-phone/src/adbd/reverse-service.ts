/**
 * The service `reverse:`: listeners on the phone whose connections go to the
 * host. They belong to the host's connection and end with it. Source: AOSP
 * `adb.cpp` (`handle_forward_request`) as adbd answers it: one OKAY.
 */
import { AddressInUse, type PhoneSockets } from '../android/sockets.js'
import type { Duplex } from '../android/streams.js'
import type { Connection } from './connection.js'

/** The listeners of one host connection: address on the phone → service on the host. */
export class ReverseListeners {
  private readonly entries = new Map<string, { target: string; stop: () => void }>()

  constructor(
    private readonly sockets: PhoneSockets,
    private readonly connection: Connection,
  ) {}

  /** Returns the response to one request. */
  answer(request: string): Buffer {
    const [verb, rest] = splitOnce(request)
    if (verb === 'forward') return this.forward(rest)
    if (verb === 'killforward') return this.remove(rest)
    if (request === 'killforward-all') {
      this.clear()
      return Buffer.from('OKAY')
    }
    if (request === 'list-forward') {
      const lines = [...this.entries].map(([local, { target }]) => `(reverse) ${local} ${target}\n`)
      return protocolString(lines.join(''))
    }
    return failure(`unknown reverse command: ${request}`)
  }

  clear(): void {
    for (const entry of this.entries.values()) entry.stop()
    this.entries.clear()
  }

  private forward(request: string): Buffer {
    const noRebind = request.startsWith('norebind:')
    const [local = '', target = ''] = (noRebind ? request.slice('norebind:'.length) : request).split(';')
    if (local === '' || target === '') return failure('bad forward: ' + request)
    const automatic = local === 'tcp:0'
    const address = automatic ? this.freePort() : local
    const old = this.entries.get(address)
    if (old !== undefined) {
      if (noRebind) return failure('cannot rebind existing socket')
      old.stop()
      this.entries.delete(address)
    }
    try {
      const stop = this.sockets.listenThrough(address, (refused) => this.connection.open(target, refused))
      this.entries.set(address, { target, stop })
    } catch (error) {
      if (error instanceof AddressInUse) return failure(`cannot bind listener: Address already in use`)
      throw error
    }
    return automatic
      ? Buffer.concat([Buffer.from('OKAY'), protocolString(address.slice('tcp:'.length))])
      : Buffer.from('OKAY')
  }

  private remove(local: string): Buffer {
    const entry = this.entries.get(local)
    if (entry === undefined) return failure(`listener '${local}' not found`)
    entry.stop()
    this.entries.delete(local)
    return Buffer.from('OKAY')
  }

  /** Returns a free port of the phone. No port of the machine is used. */
  private freePort(): string {
    let port = 35_000
    while (this.sockets.has(`tcp:${port}`)) port += 1
    return `tcp:${port}`
  }
}

export async function reverseService(
  stream: Duplex,
  request: string,
  listeners: ReverseListeners,
): Promise<void> {
  await stream.write(listeners.answer(request))
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(':')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Encodes four hex digits of length, then the text. */
function protocolString(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from(bytes.length.toString(16).padStart(4, '0')), bytes])
}

function failure(message: string): Buffer {
  return Buffer.concat([Buffer.from('FAIL'), protocolString(message)])
}
