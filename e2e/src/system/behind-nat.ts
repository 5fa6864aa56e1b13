/**
 * Two machines, each a network namespace: the office has Postgres, NATS and replicas of the control plane; the home has an
 * agent and its phone, and drops every new connection from the office, as a home router does.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Answer } from './api.js'
import { ip, NamespacePrograms } from './namespace-programs.js'

export const addresses = { replicas: ['10.98.1.1', '10.98.1.2'], home: '10.98.1.7' } as const
export type Machine = 'office' | 'home'

export interface TwoMachines {
  dir: string
  programs: NamespacePrograms<Machine>
  /**
   * Sends a request with a body of JSON or bytes, from this process to a port in the office that
   * `bridgeScript` reaches.
   */
  send(socket: string, method: string, target: string, key: string, body?: unknown): Promise<Answer>
  end(): Promise<void>
}

export async function startTwoMachines(): Promise<TwoMachines> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-nat-'))
  await chmod(dir, 0o711)
  const namespace = (machine: Machine): string => `prk-${process.pid}-${machine}`
  connectMachines(namespace)
  const programs = new NamespacePrograms(namespace)
  return {
    dir,
    programs,
    send: (socket, method, target, key, body) => sendTo(path.join(dir, socket), method, target, key, body),
    async end() {
      await programs.end()
      for (const machine of ['home', 'office'] as const) ip('netns', 'del', namespace(machine))
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function connectMachines(namespace: (machine: Machine) => string): void {
  const [office, home] = [namespace('office'), namespace('home')]
  for (const each of [office, home]) {
    ip('netns', 'add', each)
    ip('-n', each, 'link', 'set', 'lo', 'up')
  }
  ip('-n', office, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', home)
  for (const address of addresses.replicas) ip('-n', office, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  ip('-n', home, 'addr', 'add', `${addresses.home}/24`, 'dev', 'eth0')
  for (const each of [office, home]) ip('-n', each, 'link', 'set', 'eth0', 'up')
  // Answers arrive at higher ports, on which no program listens.
  const isNew = ['iif', 'eth0', 'ipproto', 'tcp', 'dport', '1-32767']
  ip('-n', home, 'rule', 'add', 'pref', '1', ...isNew, 'blackhole')
  ip('-n', home, 'rule', 'add', 'pref', '5', 'lookup', 'local')
  ip('-n', home, 'rule', 'del', 'pref', '0')
}

function sendTo(
  socketPath: string,
  method: string,
  target: string,
  key: string,
  body?: unknown,
): Promise<Answer> {
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json'
  const text = Buffer.isBuffer(body) ? body : body === undefined ? '' : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${key}`,
    ...(text === '' ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path: target, headers, timeout: 130_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const isJson = response.headers['content-type']?.includes('json') === true
        const answer = isJson ? (JSON.parse(bytes.toString()) as unknown) : bytes.toString()
        const headersOfAnswer = new Headers()
        for (const [name, values = []] of Object.entries(response.headersDistinct))
          for (const value of values) headersOfAnswer.append(name, value)
        resolve({ status: response.statusCode ?? 0, headers: headersOfAnswer, body: answer, bytes })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', reject)
    sent.end(text)
  })
}

/**
 * A program that offers ports of this machine as Unix sockets, which all machines share: `PATH=HOST:PORT …`.
 */
export const bridgeScript = `
  import { connect, createServer } from 'node:net'
  for (const pair of process.argv.slice(1)) {
    const [path, address] = pair.split('=')
    const [host, port] = address.split(':')
    createServer((client) => {
      const server = connect(Number(port), host)
      client.pipe(server).pipe(client)
      const end = () => { client.destroy(); server.destroy() }
      for (const each of [client, server]) each.on('error', end).on('close', end)
    }).listen(path)
  }
  console.log('bridges are ready')`

/** A program that accepts connections at all addresses. */
export const listenScript = `
  import { createServer } from 'node:net'
  createServer((socket) => socket.end()).listen(Number(process.argv[1]), () => console.log('listens'))`

/** A program that prints whether a TCP connection is accepted within two seconds. */
export const connectScript = `
  import { connect } from 'node:net'
  const [, host, port] = process.argv
  const socket = connect(Number(port), host)
  const end = (text) => { console.log(text); process.exit(0) }
  socket.once('connect', () => end('accepted')).once('error', (error) => end(error.code))
  setTimeout(() => end('no answer'), 2000)`
