/** Shell commands with an exit code (shell protocol v2) and raw commands (`exec`). adbkit supports neither. */
import type { Bluebird } from '../adbkit.js'
import type { ShellCommand } from '../quote.js'
import { feedShell, readShellPackets, type ShellResult } from '../shell-protocol.js'
import { ServiceCommand } from './service.js'

/** Runs a command to its end. `limit`: maximum bytes of output. */
export class ShellV2Command extends ServiceCommand<ShellResult> {
  execute(command: ShellCommand, limit: number): Bluebird<ShellResult> {
    return this.request(`shell,v2,raw:${command}`).then(() => readShellPackets(this.bytes, limit))
  }
}

/** Like `ShellV2Command`, with `input` as stdin. */
export class FeedCommand extends ServiceCommand<ShellResult> {
  execute(command: ShellCommand, input: AsyncIterable<Uint8Array>, limit: number): Bluebird<ShellResult> {
    return this.request(`shell,v2,raw:${command}`).then(() => feedShell(this.bytes, input, limit))
  }
}

/** Returns once the command has started; the caller reads its packets with `readShellPacket`. */
export class SpawnCommand extends ServiceCommand<void> {
  execute(command: ShellCommand): Bluebird<void> {
    return this.request(`shell,v2,raw:${command}`)
  }
}

/** Returns the raw output, without an exit code. */
export class ExecCommand extends ServiceCommand<Buffer> {
  execute(command: ShellCommand, limit: number): Bluebird<Buffer> {
    return this.request(`exec:${command}`).then(() => this.bytes.readAll(limit))
  }
}
