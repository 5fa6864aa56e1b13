import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { packages } from './catalogue.js'
import { clients } from './clients.js'
import { describePackages, materials } from './materials.js'
import { productionModules } from './modules.js'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-materials-'))
afterAll(() => rmSync(dir, { recursive: true }))

it('lists every module that a package contains, and the scrcpy server', () => {
  const server = path.join(dir, 'scrcpy-server')
  writeFileSync(server, 'server')
  const list = materials(root, server)
  const listed = new Set(list.components.map((each) => each['bom-ref']))
  expect(listed).toContain('scrcpy-server@3.3.3')
  for (const { workspace } of [...packages, ...clients])
    for (const { manifest } of productionModules(root, workspace, new Set()))
      expect(listed).toContain(`${manifest.name}@${manifest.version}`)
  // A commit always gives the same bytes.
  expect(JSON.stringify(materials(root, server))).toBe(JSON.stringify(list))
  expect(list).not.toHaveProperty('serialNumber')
  expect(materials(root, null).components).toHaveLength(list.components.length - 1)
})

it('writes checksums of all files of the folder, which sha256sum accepts', () => {
  writeFileSync(path.join(dir, 'phonerack-agent_0.1.0_amd64.deb'), 'a package')
  const files = describePackages(root, dir, null).map((file) => path.basename(file))
  expect(files).toEqual(['phonerack.cdx.json', 'SHA256SUMS'])
  const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: dir,
    encoding: 'utf8',
  })
  expect(checked).toContain('phonerack-agent_0.1.0_amd64.deb: OK\n')
  expect(checked).toContain('phonerack.cdx.json: OK\n')
})
