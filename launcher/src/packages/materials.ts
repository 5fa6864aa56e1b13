/** Writes two files that describe the packages: a bill of materials (CycloneDX), and the checksums of all files. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { hashOf, writeSums } from '../../../scripts/lib/release/checksums.mjs'
import { buildTime } from './build-time.js'

/** Milliseconds for npm. */
const limit = 120_000

const listSchema = z.looseObject({
  metadata: z.looseObject({}),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
})

/** Writes `phonerack.cdx.json` and then `SHA256SUMS`. @param scrcpyServer the file in the agent's package; null: none */
export function describePackages(root: string, out: string, scrcpyServer: string | null): string[] {
  const list = path.join(out, 'phonerack.cdx.json')
  writeFileSync(list, `${JSON.stringify(materials(root, scrcpyServer), null, 2)}\n`)
  writeSums(out)
  return [list, path.join(out, 'SHA256SUMS')]
}

/**
 * All installed modules, with the scrcpy server that the agent's package contains. npm marks the modules for
 * developers, and they are kept: the console and the documentation are bundled from some. `--omit dev` would
 * also drop modules that one package contains and another package uses only in tests, such as zod. Without
 * `--legacy-peer-deps`, npm refuses the peers of vitepress's search.
 */
export function materials(root: string, scrcpyServer: string | null) {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--legacy-peer-deps'], {
    cwd: root,
    encoding: 'utf8',
    timeout: limit,
    maxBuffer: 64 << 20,
  })
  // A commit always gives the same file.
  const list = listSchema.parse(JSON.parse(text))
  delete list['serialNumber']
  const timestamp = new Date(buildTime(root, process.env) * 1000).toISOString()
  return {
    ...list,
    metadata: { ...list.metadata, timestamp },
    components: [
      ...list.components,
      ...(scrcpyServer === null ? [] : [scrcpyComponent(hashOf(scrcpyServer))]),
    ],
  }
}

const scrcpyComponent = (content: string) => ({
  'bom-ref': 'scrcpy-server@3.3.3',
  type: 'file',
  name: 'scrcpy-server',
  version: '3.3.3',
  purl: 'pkg:github/Genymobile/scrcpy@v3.3.3',
  hashes: [{ alg: 'SHA-256', content }],
  licenses: [{ license: { id: 'Apache-2.0' } }],
})
