/** Tests the decisions of `./scripts/release`: whether a tag and the last night allow a release, and SHA256SUMS. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifySums, writeSums } from '../../scripts/lib/release/checksums.mjs'
import { readNight, refusalOfNight } from '../../scripts/lib/release/night.mjs'
import { manifestsOf, refusalOfTag } from '../../scripts/lib/release/tag.mjs'

const tested = 'a'.repeat(40)
const newer = 'b'.repeat(40)
const run = {
  status: 'completed',
  conclusion: 'success',
  head_branch: 'main',
  head_sha: tested,
  html_url: 'https://github.com/o/n/actions/runs/1',
}

describe('the last night', () => {
  it('allows a release of the commit that it tested successfully', () => {
    expect(refusalOfNight({ branch: 'main', run }, tested)).toBeNull()
  })

  it.each([
    ['does not exist', null, 'no completed run on main'],
    ['failed', { ...run, conclusion: 'failure' }, 'ended with failure'],
    ['was cancelled', { ...run, conclusion: 'cancelled' }, 'ended with cancelled'],
    ['has no conclusion', { ...run, conclusion: null }, 'ended with null'],
    ['has not ended', { ...run, status: 'in_progress' }, 'status in_progress'],
    ['tested another branch', { ...run, head_branch: 'fix' }, 'on fix'],
    ['tested another commit', { ...run, head_sha: newer }, `tested ${newer}, and the tag is on ${tested}`],
  ])('refuses a release when it %s', (_, night, reason) => {
    expect(refusalOfNight({ branch: 'main', run: night }, tested)).toContain(reason)
  })

  it('is the newest completed run on the default branch', async () => {
    const paths: string[] = []
    const api = await serve((request, response) => {
      paths.push(`${request.url} ${request.headers.authorization}`)
      const isRuns = request.url?.includes('/runs') === true
      response.end(JSON.stringify(isRuns ? { workflow_runs: [run] } : { default_branch: 'main' }))
    })
    expect(await readNight({ api, repository: 'o/n', token: 't' })).toEqual({ branch: 'main', run })
    expect(paths).toEqual([
      '/repos/o/n Bearer t',
      '/repos/o/n/actions/workflows/night.yml/runs?branch=main&status=completed&per_page=1 Bearer t',
    ])
  })

  it('is unknown when GitHub refuses or does not answer', async () => {
    const refusing = await serve((_, response) => response.writeHead(403).end())
    await expect(readNight({ api: refusing, repository: 'o/n', token: 't' })).rejects.toThrow(
      /status 403: GITHUB_TOKEN must have/,
    )
    const silent = await serve(() => undefined)
    await expect(readNight({ api: silent, repository: 'o/n', token: 't', timeoutMs: 50 })).rejects.toThrow(
      /no answer within 0.05 seconds/,
    )
    const empty = await serve((_, response) => response.end('{}'))
    await expect(readNight({ api: empty, repository: 'o/n', token: 't' })).rejects.toThrow(
      /did not return the default branch/,
    )
  })
})

describe('the tag', () => {
  const url = 'git+https://github.com/o/n.git'
  const manifests = [
    { file: 'package.json', version: '1.2.3' },
    { file: 'clients/cli/package.json', version: '1.2.3', repository: url },
  ]

  it('is the version of every package', () => {
    expect(refusalOfTag('v1.2.3', manifests, 'o/n')).toBeNull()
    expect(refusalOfTag('v1.2.4', manifests, 'o/n')).toContain('package.json has version 1.2.3; clients/cli')
    expect(refusalOfTag('v1.2.3-rc.1', manifests, 'o/n')).toContain('must be like v1.2.3')
  })

  it('is refused when an npm package names another repository, which npm would refuse', () => {
    expect(refusalOfTag('v1.2.3', manifests, 'o/fork')).toContain(
      'clients/cli/package.json must have "repository"',
    )
  })

  it('is compared with all published packages of this repository, which have one version', () => {
    const ours = manifestsOf(path.resolve(import.meta.dirname, '../..'))
    expect(ours.map(({ file }) => file)).toEqual([
      ...[
        'package.json',
        'control-plane/package.json',
        'host-agent/package.json',
        'clients/ctl/package.json',
      ],
      ...['clients/typescript/package.json', 'clients/cli/package.json', 'clients/python/pyproject.toml'],
    ])
    expect(new Set(ours.map(({ version }) => version)).size).toBe(1)
    expect(ours[0]?.version).toMatch(/^\d+\.\d+\.\d+$/)
  })
})

describe('SHA256SUMS', () => {
  it('has the format of sha256sum, and refuses changed, missing and further files', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'phonerack-release-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    expect(() => verifySums(folder)).toThrow('is missing')
    const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
    put('b', '')
    put('a', 'abc')
    writeSums(folder)
    // The first example of FIPS 180-2, and the digest of nothing.
    expect(readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n' +
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n',
    )
    verifySums(folder)
    put('a', 'abd')
    expect(() => verifySums(folder)).toThrow('are not the files')
    put('a', 'abc')
    put('c', '')
    expect(() => verifySums(folder)).toThrow('are not the files')
    rmSync(path.join(folder, 'c'))
    rmSync(path.join(folder, 'b'))
    expect(() => verifySums(folder)).toThrow('are not the files')
  })
})

/** @returns the address of a server until the end of the test */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
