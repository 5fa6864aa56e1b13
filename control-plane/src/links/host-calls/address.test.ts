// A host reports its own address. grpc-js reads some texts as URIs, and some of those end the
// process, so these run in a child process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hostileAddresses } from '../../testing/fuzz/addresses.js'
import { channelTarget } from './address.js'
import { readHeartbeat } from '../../fleet/hosts/read-heartbeat.js'

const built = (file: string): string =>
  pathToFileURL(path.resolve(import.meta.dirname, '../../../dist', file)).href

/** Connects to each address with the built control plane. */
const connecting = `
  const { Authority, newAuthority } = await import(${JSON.stringify(built('base/pki/authority.js'))})
  const { HostClients } = await import(${JSON.stringify(built('links/host-calls/clients.js'))})
  const addresses = process.argv.slice(1)
  const authority = await Authority.of(await newAuthority())
  const log = { warn() {}, error() {} }
  for (const address of addresses) {
    const hosts = new HostClients(await authority.issueClient(), log)
    const ready = await hosts.to('hst_aaaaaaaaaaaa', { address, certificateFingerprint: null }).ready(50)
    console.log(address + ' ready ' + ready)
    hosts.close()
  }`

describe("a host's address", () => {
  it.each([
    ['rack-1.example.org:7000', 'dns:///rack-1.example.org:7000'],
    ['host_agent:1', 'dns:///host_agent:1'],
    ['10.0.0.1:65535', 'dns:///10.0.0.1:65535'],
    ['[::1]:7000', 'dns:///[::1]:7000'],
    ['[::ffff:1.2.3.4]:7000', 'dns:///[::ffff:1.2.3.4]:7000'],
  ])('%s is a valid target', (address, target) => {
    expect(channelTarget(address)).toBe(target)
  })

  it.each(hostileAddresses)('%j is refused with its heartbeat', (address) => {
    expect(channelTarget(address)).toBeNull()
    const message = {
      host_id: 'hst_aaaaaaaaaaaa',
      sequence: 1,
      at: '2026-01-01T00:00:00.000Z',
      version: '1',
      address,
      load: 0,
      devices: [],
    }
    expect(readHeartbeat(message, 'hst_aaaaaaaaaaaa')).toHaveProperty('refused')
  })

  it('leaves the host unreachable and the process alive when it is stored and unusable', async () => {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', connecting, '--', ...hostileAddresses],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let said = ''
    let errors = ''
    child.stdout.on('data', (data: Buffer) => (said += data.toString()))
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    expect({ code, signal, errors }).toEqual({ code: 0, signal: null, errors: '' })
    expect(said.match(/ ready false\n/g)).toHaveLength(hostileAddresses.length)
  })
})
