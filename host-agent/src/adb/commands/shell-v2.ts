/** Commands of a phone's shell: with exit code (shell protocol v2), or raw. adbkit has neither. */
import type { Bluebird } from '../adbkit.js'
import type { ShellCommand } from '../quote.js'
import { feedShell, readShellPackets, type ShellResult } from '../shell-protocol.js'
import { ServiceCommand } from './service.js'

/** `limit`: bytes of output, above which the command fails. */
export class ShellV2Command extends ServiceCommand<ShellResult> {
  execute(command: ShellCommand, limit: number): Bluebird<ShellResult> {
    return this.request(`shell,v2,raw:${command}`).then(() => readShellPackets(this.bytes, limit))
  }
}

/** Gives the command `input` as its stdin. */
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

/** The command's raw output, without an exit code. */
export class ExecCommand extends ServiceCommand<Buffer> {
  execute(command: ShellCommand, limit: number): Bluebird<Buffer> {
    return this.request(`exec:${command}`).then(() => this.bytes.readAll(limit))
  }
}
