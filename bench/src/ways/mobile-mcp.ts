/**
 * `@mobilenext/mobile-mcp` on the same virtual phone: the tool that an agent's author uses with a phone on
 * the desk. Its tree is 108 MB, which is too large for a dependency: it is downloaded once, without install
 * scripts, and kept in `node_modules/.cache`.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from '@phonerack/e2e/system/system.js'
import { sizeOf, type ToolSize } from '@phonerack/e2e/system/tool-texts.js'

export const mobileMcpVersion = '1.0.4'
const cache = path.join(root, 'node_modules/.cache/phonerack')
const folder = path.join(cache, `mobile-mcp-${mobileMcpVersion}`)

/** @throws when npm cannot download it */
async function install(): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(path.join(cache, 'installing-'))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  await promisify(execFile)(
    'npm',
    ['install', '--prefix', fresh, ...options, `@mobilenext/mobile-mcp@${mobileMcpVersion}`],
    { timeout: 240_000 },
  )
  if (existsSync(folder)) await rm(fresh, { recursive: true })
  else await rename(fresh, folder)
}

export interface MobileMcp {
  /** Calls a tool on the phone, and returns the text of its result. @throws when the tool reports a failure */
  call(tool: string, args?: Record<string, unknown>): Promise<string>
  /** The size of the server's list of tools. */
  toolSize(): Promise<ToolSize>
  stop(): Promise<void>
}

/**
 * Starts the server in the mode that uses adb itself (`MOBILEMCP_LEGACY_ROBOT`). The other mode installs an
 * app whose code no virtual phone runs, and falls back after seconds. `env` names the adb server that lists
 * `serial`.
 */
export async function startMobileMcp(serial: string, env: NodeJS.ProcessEnv): Promise<MobileMcp> {
  await install()
  const all: Record<string, string> = { MOBILEMCP_LEGACY_ROBOT: '1', MOBILEMCP_DISABLE_TELEMETRY: '1' }
  for (const [name, value] of Object.entries(env)) if (value !== undefined) all[name] = value
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.join(folder, 'node_modules/@mobilenext/mobile-mcp/lib/index.js')],
    env: all,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'phonerack-bench', version: '1' })
  await client.connect(transport)
  return {
    async call(tool, args = {}) {
      const answer = await client.callTool({ name: tool, arguments: { device: serial, ...args } })
      if (answer.isError === true) throw new Error(`${tool}: ${JSON.stringify(answer.content)}`)
      const blocks = answer.content as { type: string; text?: string }[]
      return blocks.map(({ text = '' }) => text).join('\n')
    },
    toolSize: async () => sizeOf((await client.listTools()).tools),
    stop: () => client.close(),
  }
}
