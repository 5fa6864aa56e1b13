/** The Debian package of the control plane: built once, then unpacked, run and installed. Needs a build. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasOverlays, runInOverlay } from '../testing/overlay.js'
import { buildPackage, packageNamed } from './index.js'

const name = 'phonerack-control-plane'
const checkout = path.resolve(import.meta.dirname, '..', '..', '..')
const dir = mkdtempSync(path.join(tmpdir(), `${name}-package-`))
const at = (...words: string[]): string => path.join(dir, ...words)
const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', timeout: 120_000, maxBuffer: 64 << 20 })

let deb: string
beforeAll(async () => {
  const options = { root: checkout, out: at('out'), scrcpyServer: null } as const
  const built = await buildPackage(packageNamed(name), { ...options, compression: 'none', hasTarball: false })
  ;[deb = ''] = built
  output('dpkg-deb', '-x', deb, at('root'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(at('root/usr/bin', name), args, {
    env: { PATH: process.env['PATH'], PHONERACK_ENV_FILE: '', ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })

describe('the Debian package of the control plane', () => {
  it('contains migrations, the pages of the live view and of the documentation, and the database client, but no tests and no agent', () => {
    const lines = output('dpkg-deb', '-c', deb).trimEnd().split('\n')
    expect(
      lines.filter((line) => !/^(?:drwxr-xr-x|-rw[-x]r-[-x]r-[-x]|lrwxrwxrwx) root\/root /.test(line)),
    ).toEqual([])
    const files = lines.map((line) => line.split(/\s+/)[5]?.replace(`./usr/lib/${name}/`, '') ?? '')
    const migrations = readdirSync(path.join(checkout, 'control-plane/prisma/migrations'), {
      withFileTypes: true,
    })
    for (const wanted of [
      ...migrations
        .filter((each) => each.isDirectory())
        .map((each) => `prisma/migrations/${each.name}/migration.sql`),
      ...[
        'dist/phone-io/live/page/main.js',
        'src/phone-io/live/page/index.html',
        'console/index.html',
        'dist/gen/prisma/client.js',
        'dist/files/apps/apk/child.js',
        'site/index.html',
        'site/404.html',
        'site/licences.txt',
      ],
      ...['node_modules/@prisma/client/runtime/client.mjs', './etc/phonerack/control-plane.env'],
      './usr/lib/systemd/system/phonerack-control-plane.service',
    ])
      expect(files).toContain(wanted)
    const unwanted =
      /\.test\.|\.(?:[cm]?ts|map)$|dist\/(?:testing|conformance)\/|@phonerack\/(?!$|shared|proto|launcher)|dist\/backup\/embedded|@types|sqlserver|node_modules\/(?:prisma|vitest|typescript|effect)\//
    expect(files.filter((file) => unwanted.test(file))).toEqual([])
  })

  it('contains files that the program reads or loads on first use', () => {
    const used = `
      const { readAssets } = await import('./dist/phone-io/live/assets.js')
      const { replayParts } = await import('./dist/phone-io/steps/replay/parts.js')
      const { createAuth } = await import('./dist/people/users/auth.js')
      const { hashPassword } = await import('./dist/people/users/load-auth.js')
      const { openS3 } = await import('./dist/files/storage/s3.js')
      const { openStripe } = await import('./dist/rental/payments/stripe.js')
      const { createGitHubProvider } = await import('./dist/people/users/providers/github.js')
      const s3 = await openS3({ bucket: 'b', region: 'r', endpoint: null, credentials: null })
      const stripe = await openStripe({ url: 'https://api.stripe.com', secretKey: 'k', webhookSecret: 'w' })
      const gitHub = createGitHubProvider({ kind: 'github', id: 'g', name: 'G', url: 'https://github.com', clientId: 'c' })
      const flow = { state: 's', verifier: 'v'.repeat(43), redirectUri: 'https://phones.example/back', isAgain: false }
      console.log(JSON.stringify([
        readAssets('/live').html.includes('<main'),
        replayParts().head.includes('<style>'),
        typeof createAuth === 'function',
        (await hashPassword('a password')).length > 40,
        (await gitHub.authorizationUrl(flow)).host === 'github.com',
        [s3, stripe].every((each) => typeof each === 'object'),
      ]))`
    const answer = spawnSync(process.execPath, ['--input-type=module', '-e', used], {
      cwd: at('root/usr/lib', name),
      env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' },
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect([answer.stderr, answer.stdout.trim()]).toEqual(['', '[true,true,true,true,true,true]'])
  })

  it('backs up and restores with the code of the scripts', () => {
    const settings = {
      DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/x',
      PHONERACK_PKI_DIR: at('state/pki'),
    }
    mkdirSync(at('state/pki'), { recursive: true })
    const key = Buffer.alloc(32, 1).toString('base64')
    const armour = (word: string) => `-----${word} PHONERACK SERVICE KEY-----`
    writeFileSync(at('state/pki/service.key'), `${armour('BEGIN')}\n${key}\n${armour('END')}\n`)
    mkdirSync(at('nats'))
    for (const name of ['account.seed', 'control-plane.creds']) writeFileSync(at('nats', name), 'x')
    const backup = run(['backup', '--to', at('backups'), '--nats-dir', at('nats')], settings)
    expect(backup).toMatchObject({ status: 1, stdout: '' })
    expect(backup.stderr).toContain('cannot connect to postgresql://u@127.0.0.1:1/x')
    const restored = run(['restore', at('backups'), '--data', at('restored')], settings)
    expect(restored).toMatchObject({ status: 1, stdout: '' })
    expect(restored.stderr).toContain('is not a backup')
    expect(run(['restore', '--data', at('restored')], settings).status).toBe(2)
  })

  it('has a unit that systemd accepts, with hardly any rights', () => {
    const unit = readFileSync(at('root/usr/lib/systemd/system', `${name}.service`), 'utf8')
    const file = at(`${name}.service`)
    writeFileSync(file, unit.replace('/usr/bin/', `${at('root/usr/bin')}/`))
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=20', file])).toMatchObject(
      { status: 0 },
    )
  })

  it('reads its settings from the file, and names those that are missing or wrong', () => {
    expect(run(['--help']).stdout).toContain('phonerack-control-plane migrate')
    const file = at('control-plane.env')
    writeFileSync(file, 'DATABASE_URL=postgresql://127.0.0.1/x\nPHONERACK_HTTP_PORT=eighty\n')
    const refused = run([], { PHONERACK_ENV_FILE: file, NATS_URL: 'nats://127.0.0.1' })
    expect(refused.status).toBe(78)
    expect(refused.stdout).toContain(
      'configuration: PHONERACK_HTTP_PORT: Invalid input: expected number, received NaN; PHONERACK_PKI_DIR: is missing',
    )
  })
})

it.skipIf(!hasOverlays())(
  'keeps settings secret, and keeps the key of the authority when it is purged',
  () => {
    const said = runInOverlay(
      `
    dpkg -i --force-depends /root/plane.deb
    echo ---
    stat -c '%U %G %a' /etc/phonerack/control-plane.env /var/lib/phonerack-control-plane
    echo 'DATABASE_URL=postgresql://mine' >>/etc/phonerack/control-plane.env
    mkdir -p /var/lib/phonerack-control-plane/pki /var/lib/phonerack-control-plane/storage
    touch /var/lib/phonerack-control-plane/pki/service.key.next
    dpkg -i --force-depends /root/plane.deb >/dev/null
    stat -c '%U %G %a' /etc/phonerack/control-plane.env
    tail -n 1 /etc/phonerack/control-plane.env
    find /etc/systemd/system -name '*phonerack*'
    dpkg -P phonerack-control-plane | grep kept
    find /var/lib/phonerack-control-plane -mindepth 1
    ls -d /etc/phonerack /usr/lib/phonerack-control-plane 2>/dev/null || true`,
      { '/root/plane.deb': deb },
    )
    expect(said.slice(said.indexOf('---') + 1)).toEqual([
      'root phonerack-control-plane 640',
      'phonerack-control-plane phonerack-control-plane 700',
      'root phonerack-control-plane 640',
      'DATABASE_URL=postgresql://mine',
      'phonerack-control-plane: kept /var/lib/phonerack-control-plane/pki with service.key; delete it once no database needs it',
      '/var/lib/phonerack-control-plane/pki',
      '/var/lib/phonerack-control-plane/pki/service.key.next',
    ])
  },
)
