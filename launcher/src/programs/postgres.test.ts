// Debian's script for packages of Postgres, on a copy of this system.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hasOverlays, runInOverlay } from '../testing/overlay.js'

const scripts = '/usr/share/postgresql-common/maintscripts-functions'
const settings = '/etc/postgresql-common/createcluster.conf'
const programs = '/usr/lib/postgresql'
const version = existsSync(programs) ? (readdirSync(programs).toSorted().at(-1) ?? '') : ''
const built = path.resolve(import.meta.dirname, '../../dist/programs/postgres.js')

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-package-test-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/**
 * Lists the clusters after the script ran for a package that was not installed before. Fails when the setting
 * has changed.
 */
function clustersAfter(program: string): string[] {
  const file = path.join(dir, 'program.mjs')
  writeFileSync(
    file,
    `import { execFileSync } from 'node:child_process'
     import { withoutCluster } from './postgres.mjs'
     const configure = async () =>
       execFileSync('sh', ['-c', '. ${scripts}; configure_version ${version} ""'], { stdio: 'ignore' })
     ${program}`,
  )
  return runInOverlay(
    `rm -rf /etc/postgresql /var/lib/postgresql/${version}
     cp ${settings} /root/before
     '${process.execPath}' /root/program.mjs
     cmp /root/before ${settings}
     pg_lsclusters --no-header`,
    { '/root/program.mjs': file, '/root/postgres.mjs': built },
  ).filter((line) => line !== '')
}

describe.runIf(existsSync(scripts) && hasOverlays())('a new package of Postgres', () => {
  it('creates a cluster by default', () => {
    expect(clustersAfter('await configure()')).toEqual([expect.stringMatching(/ main /)])
  })

  it('creates no cluster for tests, and keeps the setting of the machine', () => {
    expect(clustersAfter('await withoutCluster(configure)')).toEqual([])
  })

  it('keeps the setting after a failed installation', () => {
    const failing = `await withoutCluster(() => Promise.reject(new Error('no network'))).catch(() => undefined)`
    expect(clustersAfter(failing)).toEqual([])
  })
})
