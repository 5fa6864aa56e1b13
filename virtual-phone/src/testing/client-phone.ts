/** For the tests in `clients/`: a whole phone, a real adb server connected to it, and the name of a client with its version. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startPhone, type Phone } from '../phone.js'
import { startAdb, type Adb } from './adb.js'
import { center, parseTree, type TreeNode } from './ui-tree.js'

export interface ClientPhone {
  phone: Phone
  /** The phone's adb serial. */
  serial: string
  adb: Adb
  /** A folder for files of the test. */
  folder: string
  /** Runs a command by the real adb, to verify the client's effect. */
  shell(command: string): Promise<string>
  /** Returns the output of `uiautomator dump`. */
  tree(): Promise<TreeNode[]>
  /** Internal errors of the phone. */
  faults: readonly unknown[]
  close(): Promise<void>
}

export async function startClientPhone(): Promise<ClientPhone> {
  const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-client-'))
  const faults: unknown[] = []
  const phone = await startPhone({
    port: 0,
    dataDir: join(folder, 'phone'),
    pace: 'instant',
    onFault: (error, what) => faults.push([what, error]),
  })
  const serial = `127.0.0.1:${phone.port}`
  const adb = await startAdb(serial)
  await adb.run(['connect', serial])
  const shell = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await adb.run(['shell', command])
    if (code !== 0) throw new Error(`${command}: exit code ${code}: ${stderr}`)
    return stdout.toString()
  }
  return {
    phone,
    serial,
    adb,
    folder,
    faults,
    shell,
    tree: async () => parseTree((await shell('uiautomator dump /dev/tty')).replace(/UI hier.*$/s, '')),
    close: async () => {
      await adb.close()
      await phone.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Returns the first node with this text, description or ID.
 * @throws when no node matches
 */
export function find(tree: readonly TreeNode[], wanted: string): TreeNode & { x: number; y: number } {
  const node = tree.find(
    ({ attributes }) =>
      attributes['text'] === wanted ||
      attributes['content-desc'] === wanted ||
      attributes['resource-id']?.endsWith(`:id/${wanted}`),
  )
  if (!node) throw new Error(`No ${wanted} on the screen`)
  return { ...node, ...center(node) }
}

/** Returns the name of the installed package, such as `@devicefarmer/adbkit 3.3.9`. */
export function nameOf(packageName: string): string {
  const require = createRequire(import.meta.url)
  let folder = dirname(require.resolve(packageName))
  for (;;) {
    const path = join(folder, 'package.json')
    const json: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
    if (typeof json === 'object' && json !== null && 'name' in json && json.name === packageName)
      return `${packageName} ${'version' in json ? String(json.version) : ''}`
    if (folder === dirname(folder)) throw new Error(`No package.json of ${packageName}`)
    folder = dirname(folder)
  }
}
