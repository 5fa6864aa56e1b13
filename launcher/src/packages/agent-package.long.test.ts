/** The Debian package and the npm tarball of the host agent: built once, then unpacked and run. Needs a build. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ensureScrcpyServer } from '../up/scrcpy.js'
import { hasOverlays, runInOverlay } from '../testing/overlay.js'
import { buildPackage, packageNamed } from './index.js'

const checkout = path.resolve(import.meta.dirname, '..', '..', '..')
const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-agent-package-'))
const at = (...words: string[]): string => path.join(dir, ...words)
const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', timeout: 120_000, maxBuffer: 64 << 20 })

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

let scrcpyServer: string | null
const build = (out: string, hasTarball: boolean): Promise<string[]> =>
  buildPackage(packageNamed('phonerack-agent'), {
    root: checkout,
    out,
    scrcpyServer,
    compression: 'none',
    hasTarball,
  })

let deb: string
let tarball: string
/** Lines of `dpkg-deb -c`: mode, owner, size, date, time, path. */
let listed: { mode: string; owner: string; file: string }[]
beforeAll(async () => {
  scrcpyServer = await ensureScrcpyServer(checkout, (text) => {
    throw new Error(`scrcpy server: ${text}`)
  })
  ;[deb = '', tarball = ''] = await build(at('out'), true)
  output('dpkg-deb', '-x', deb, at('root'))
  listed = output('dpkg-deb', '-c', deb)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', , , , file = ''] = line.split(/\s+/)
      return { mode, owner, file }
    })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const run = (...args: string[]) =>
  spawnSync(at('root/usr/bin/phonerack-agent'), args, {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
    timeout: 60_000,
  })

describe('the Debian package of the host agent', () => {
  it('has files of root that only root can change, in the folders of the system', () => {
    expect(listed.length).toBeGreaterThan(500)
    expect(listed.filter(({ owner }) => owner !== 'root/root')).toEqual([])
    const modes = new Map(listed.map(({ file, mode }) => [file, mode]))
    expect(new Set(modes.values())).toEqual(new Set(['drwxr-xr-x', '-rw-r--r--', '-rwxr-xr-x', 'lrwxrwxrwx']))
    expect(modes.get('./usr/lib/phonerack-agent/dist/cli.js')).toBe('-rwxr-xr-x')
    expect(modes.get('./etc/phonerack/agent.yaml')).toBe('-rw-r--r--')
    expect(listed.filter(({ mode }) => mode === '-rwxr-xr-x')).toHaveLength(1)
    const places = listed
      .filter(({ mode, file }) => !mode.startsWith('d') && !file.startsWith('./usr/lib/phonerack-agent/'))
      .map(({ file }) => file)
    expect(places.sort()).toEqual([
      './etc/phonerack/agent.yaml',
      './usr/bin/phonerack-agent',
      './usr/lib/systemd/system/phonerack-agent.service',
      './usr/lib/udev/rules.d/71-phonerack-agent.rules',
      './usr/share/doc/phonerack-agent/changelog.gz',
      './usr/share/doc/phonerack-agent/copyright',
    ])
  })

  it('contains its modules and no tests, sources, virtual phones or control plane', () => {
    const files = listed.map(({ file }) => file.replace('./usr/lib/phonerack-agent/', ''))
    for (const wanted of [
      'scrcpy-server.jar',
      'node_modules/@phonerack/shared/dist/index.js',
      'node_modules/@phonerack/proto/dist/index.js',
      'node_modules/appium-uiautomator2-server/apks/appium-uiautomator2-server-v10.6.6.apk',
      'node_modules/io.appium.settings/apks/settings_apk-debug.apk',
      'node_modules/zod/LICENSE',
    ])
      expect(files).toContain(wanted)
    const unwanted =
      /\.test\.|\.(?:[cm]?ts|map)$|\/testing\/|@phonerack\/(?!$|shared|proto)|@types|node_modules\/(?:vitest|typescript|axios|appium-adb)\//
    expect(files.filter((file) => unwanted.test(file))).toEqual([])
    expect(statSync(deb).size).toBeLessThan(70_000_000)
  })

  it('keeps the configuration of the operator, and depends on the programs that it runs', () => {
    output('dpkg-deb', '-e', deb, at('control'))
    expect(readFileSync(at('control/conffiles'), 'utf8')).toBe('/etc/phonerack/agent.yaml\n')
    expect(output('dpkg-deb', '-f', deb, 'Depends')).toMatch(
      /^adduser, adb, ffmpeg, .*nodejs \(>= 20\.19\)\n$/,
    )
    for (const script of ['postinst', 'prerm', 'postrm']) {
      expect(statSync(at('control', script)).mode & 0o777).toBe(0o755)
      output('sh', '-n', at('control', script))
    }
  })

  it('has a unit that systemd accepts, with hardly any rights', () => {
    const unit = readFileSync(at('root/usr/lib/systemd/system/phonerack-agent.service'), 'utf8')
    const file = at('phonerack-agent.service')
    writeFileSync(file, unit.replace('/usr/bin/phonerack-agent', at('root/usr/bin/phonerack-agent')))
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
    // Exposure of at most 2.0 of 10.
    expect(spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=20', file])).toMatchObject(
      { status: 0 },
    )
  })

  it('has the commands of the agent', () => {
    expect(run('--help')).toMatchObject({ status: 0, stderr: '' })
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(path.join(checkout, 'host-agent/package.json'), 'utf8')))
    expect(run('--version').stdout).toBe(`phonerack-agent ${version}\n`)
    const report = z
      .object({ findings: z.array(z.looseObject({ id: z.string() })) })
      .parse(JSON.parse(run('doctor', '--json').stdout))
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        id: 'configuration',
        level: 'error',
        fix: 'phonerack-agent join, or correct the configuration',
      }),
    )
  })

  it('names a wrong key of its configuration', () => {
    const file = at('agent.yaml')
    writeFileSync(file, 'grpc_listn: 192.0.2.1:7710\n')
    expect(run('run', '--config', file)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `phonerack-agent: ${file}: \`grpc_listn\` is not a setting; did you mean \`grpc_listen\`?\nSee phonerack-agent --help\n`,
    })
    const empty = run('run', '--config', at('root/etc/phonerack/agent.yaml'))
    expect(empty.status).toBe(2)
    expect(empty.stderr).toContain('data_dir')
  })
})

describe.skipIf(!hasOverlays())('an installation of the Debian package', () => {
  /**
   * The lines that `script` prints as root on a copy of this system, except for lines of dpkg before a
   * marker.
   */
  const install = (script: string): string[] => runInOverlay(script, { '/root/agent.deb': deb })

  it('creates the user and its folder, and asks for a join', () => {
    const said = install(`
      dpkg -i --force-depends /root/agent.deb
      echo ---
      getent passwd phonerack-agent | cut -d: -f1,6,7
      stat -c '%U %G %a' /var/lib/phonerack-agent /etc/phonerack/agent.yaml
      phonerack-agent --version | cut -d' ' -f1
      cd /tmp && su -s /bin/sh phonerack-agent -c 'phonerack-agent doctor --json' | grep -c '"id": "configuration"'`)
    expect(said.join('\n')).toContain('As root, run:\n  phonerack-agent join --server URL')
    expect(said.slice(said.indexOf('---') + 1)).toEqual([
      'phonerack-agent:/var/lib/phonerack-agent:/usr/sbin/nologin',
      'phonerack-agent phonerack-agent 700',
      'root root 644',
      'phonerack-agent',
      '1',
    ])
  })

  it('keeps configuration and state through an upgrade and a removal, and deletes them at a purge', () => {
    const said = install(`
      dpkg -i --force-depends /root/agent.deb
      echo 'host_name: mine' >>/etc/phonerack/agent.yaml
      touch /var/lib/phonerack-agent/identity.json
      # Databases that root started by up.
      mkdir -p /var/lib/phonerack/postgres-of-up
      # A later release whose configuration file explains more.
      dpkg-deb -R /root/agent.deb /root/next
      sed -i 's/^Version: .*/Version: 99.0.0/' /root/next/DEBIAN/control
      echo '# new' >>/root/next/etc/phonerack/agent.yaml
      dpkg-deb -Znone --root-owner-group -b /root/next /root/next.deb
      dpkg -i --force-depends --force-confdef /root/next.deb
      echo ---
      dpkg-query -W -f '\${Version}\\n' phonerack-agent
      tail -n 1 /etc/phonerack/agent.yaml
      ls /var/lib/phonerack-agent
      dpkg -r phonerack-agent >/dev/null
      ls /usr/bin/phonerack-agent /usr/lib/phonerack-agent /usr/lib/udev/rules.d/71-phonerack-agent.rules 2>/dev/null || true
      tail -n 1 /etc/phonerack/agent.yaml
      ls /var/lib/phonerack-agent
      dpkg -P phonerack-agent >/dev/null
      ls -d /etc/phonerack /var/lib/phonerack-agent /var/lib/phonerack/postgres-of-up 2>/dev/null || true
      find /etc/systemd /var/lib/systemd -name '*phonerack*'`)
    expect(said.slice(said.indexOf('---') + 1)).toEqual([
      ...['99.0.0', 'host_name: mine', 'identity.json'],
      ...['host_name: mine', 'identity.json', '/var/lib/phonerack/postgres-of-up'],
    ])
  })
})

it('gives the npm tarball of the host agent everything inside, for an installation without a registry', () => {
  output('tar', '-xzf', tarball, '-C', dir)
  const manifest = z
    .object({ dependencies: z.record(z.string(), z.string()), bundleDependencies: z.array(z.string()) })
    .parse(JSON.parse(readFileSync(at('package/package.json'), 'utf8')))
  expect(manifest.bundleDependencies).toEqual(Object.keys(manifest.dependencies))
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(readFileSync(at('package/node_modules', name, 'package.json'), 'utf8')).toContain(
      `"version": "${version}"`,
    )
  expect(output(at('package/dist/cli.js'), '--version')).toMatch(/^phonerack-agent \d/)
})

it('is the same, byte for byte, when it is built again', async () => {
  const [again = ''] = await build(at('again'), false)
  expect(sha256(again)).toBe(sha256(deb))
})
