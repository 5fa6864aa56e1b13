/** An Android in a temporary folder, for tests that need no adb. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Android } from '../android/android.js'
import type { Part } from '../android/missing.js'
import { emptySource } from '../android/streams.js'
import type { ByteSink, ByteSource } from '../android/streams.js'
import { runScrcpyServer } from '../scrcpy/index.js'
import { commands } from '../shell/commands/index.js'
import { runText } from '../shell/session.js'
import { createWorld } from '../ui/index.js'

export interface TestAndroid {
  android: Android
  /** The requested restarts. True means a restart with a wipe. */
  restarts: boolean[]
  run(script: string, stdin?: Buffer): Promise<Result>
  close(): void
}

/** Output as byte strings. */
export interface Result {
  code: number
  out: string
  err: string
}

/** @param missing the parts that this phone lacks */
export function testAndroid(missing: readonly Part[] = []): TestAndroid {
  const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-'))
  const world = createWorld()
  const restarts: boolean[] = []
  const android = new Android({
    identity: { serialNumber: 'VPTEST' },
    world,
    blobFolder: join(folder, 'blobs'),
    saved: null,
    missing: new Set(missing),
    commands,
    scrcpyServer: runScrcpyServer,
    onChange: () => undefined,
    onRestart: (wipe) => restarts.push(wipe),
    onFault: (error) => {
      throw error
    },
  })
  return {
    android,
    restarts,
    run: (script, stdin) =>
      runScript(android, script, { stdin: stdin === undefined ? emptySource : once(stdin) }),
    close: () => {
      android.shutDown()
      world.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Runs a script on the phone. Default: in `/`, without input and without a deadline. */
export async function runScript(
  android: Android,
  script: string,
  options: { stdin?: ByteSource; cwd?: string; signal?: AbortSignal } = {},
): Promise<Result> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  const sink = (chunks: Buffer[]): ByteSink => ({
    write: (chunk) => {
      chunks.push(Buffer.from(chunk))
      return Promise.resolve()
    },
  })
  const code = await runText(script, {
    android,
    stdin: emptySource,
    stdout: sink(out),
    stderr: sink(err),
    signal: new AbortController().signal,
    pid: 1,
    ...options,
  })
  return { code, out: Buffer.concat(out).toString('latin1'), err: Buffer.concat(err).toString('latin1') }
}

function once(bytes: Buffer): ByteSource {
  let rest: Buffer | null = bytes
  return {
    read: () => {
      const chunk = rest
      rest = null
      return Promise.resolve(chunk?.length === 0 ? null : chunk)
    },
  }
}
