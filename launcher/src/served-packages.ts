/** Writes the packages that a control plane serves at `/packages`, and their checksums: `node served-packages.js DIR`. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeSums } from '../../scripts/lib/release/checksums.mjs'
import { buildClient, buildPythonSource, clients } from './packages/clients.js'

const [out] = process.argv.slice(2)
if (out === undefined) throw new Error('usage: node served-packages.js DIR')
rmSync(out, { recursive: true, force: true })
// The same files have the same checksums in each build.
const build = { root: path.resolve(import.meta.dirname, '..', '..'), out: path.resolve(out), time: 0 }
await Promise.all(clients.map((spec) => buildClient(spec, build)))
await buildPythonSource(build)
writeSums(build.out)
// The service serves each file without its version, too.
const sums = path.join(build.out, 'SHA256SUMS')
const lines = readFileSync(sums, 'utf8')
writeFileSync(sums, lines + lines.replaceAll(/-\d\S*(?=\.tgz$)/gm, ''))
